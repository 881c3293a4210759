import type { ChipRow, RunSummary } from '../api/types';
import { useApi } from '../api/use_api';
import { Badges, WaiverCount } from '../components/badges';
import { ChipLink, chipName } from '../components/chip_link';
import { CorrectnessFigure, CoverageFigure } from '../components/figures';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { OutcomeBar } from '../components/outcome_bar';
import { PartialMark } from '../components/partial_mark';
import { RunTable } from '../components/run_table';
import { Sparkline } from '../components/sparkline';
import { StateMark } from '../components/state_mark';
import { ago, time } from '../lib/format';
import { rich, t } from '../lib/i18n';
import { to } from '../lib/router';
import { useTitle } from '../lib/title';
import { NewerRun } from './chip';

const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : null);

function ChipCard({ row }: { row: ChipRow }) {
  const { latest, trend } = row;
  const shown = row.complete ?? latest; // stands for the chip
  return (
    <article class="card chip-card" aria-label={chipName(row.chip)}>
      <header class="chip-head">
        <h2>
          <ChipLink chip={row.chip} />
        </h2>
        <span class="muted cut" title={row.vendor_name}>
          {row.vendor_name || t('common.no_vendor')} {shown.impl_version}
        </span>
        <span class="spring" />
        <Badges badges={shown.badges} contracts={shown.contracts} />
      </header>
      <div class="figures">
        <div>
          <CoverageFigure coverage={shown.coverage} />
          <Sparkline
            label={t('trend.functions')}
            kind="coverage"
            values={trend.map((p) => ratio(p.coverage.passing, p.coverage.abi_functions))}
          />
        </div>
        <div>
          <CorrectnessFigure correctness={shown.correctness} cases={shown.cases} />
          <Sparkline
            label={t('trend.correctness')}
            kind="correctness"
            values={trend.map((p) => ratio(p.correctness.passed, p.correctness.called))}
          />
        </div>
      </div>
      <OutcomeBar outcomes={shown.outcomes} cases={shown.cases} />
      <footer class="chip-foot small">
        <StateMark state={shown.state} />
        <PartialMark run={shown} />
        <span>
          <Link href={to.run(shown.run_id)}>
            {t(row.complete ? 'chip.complete_run' : 'overview.last_run')}
          </Link>{' '}
          <time dateTime={shown.created ?? ''} title={time(shown.created)}>
            {ago(shown.created)}
          </time>
        </span>
        <span class={shown.failed > 0 ? 'tone-bad' : 'muted'}>
          {shown.failed > 0 ? (
            <Link href={to.run(shown.run_id, { outcome: 'failed' })}>
              ✕ {t('overview.fail', { n: shown.failed })}
            </Link>
          ) : shown.correctness.called > 0 ? (
            t('overview.none_fails')
          ) : (
            t('overview.not_called')
          )}
        </span>
        <WaiverCount n={shown.waivers_in_force} />
        <span class="muted">{t('common.runs', { n: row.runs })}</span>
      </footer>
      <NewerRun shown={shown} latest={latest} />
    </article>
  );
}

export function Overview() {
  useTitle(t('app.chips'));
  const chips = useApi<{ chips: ChipRow[] }>('/chips', 5000);
  const runs = useApi<{ runs: RunSummary[] }>('/runs?limit=12', 5000);
  const underWay =
    runs.data?.runs.filter(({ state }) => state === 'running' || state === 'queued').length ?? 0;
  return (
    <>
      <h1>{t('app.chips')}</h1>
      <Loading loaded={chips}>
        {(data) =>
          data.chips.length === 0 ? (
            <Empty>
              {rich('overview.no_run', {
                command: <code>diopi-agent --impl LIBRARY --chip NAME --server ADDRESS</code>,
              })}
            </Empty>
          ) : (
            <div class="chip-grid">
              {data.chips.map((row) => (
                <ChipCard key={row.chip} row={row} />
              ))}
            </div>
          )
        }
      </Loading>
      <h2 class="section">
        {t('overview.newest_runs')}{' '}
        {underWay > 0 && <span class="muted small">{t('overview.under_way', { n: underWay })}</span>}
      </h2>
      <Loading loaded={runs}>
        {(data) =>
          data.runs.length === 0 ? <Empty>{t('overview.none')}</Empty> : <RunTable runs={data.runs} chip />
        }
      </Loading>
    </>
  );
}
