import type { ChipRow } from '../api/messages';
import { Badges, WaiverCount } from '../components/badges';
import { ChipLink, chipName } from '../components/chip_link';
import { CorrectnessFigure, CoverageFigure } from '../components/figures';
import { Link } from '../components/link';
import { OutcomeBar } from '../components/outcome_bar';
import { PartialMark } from '../components/partial_mark';
import { Sparkline } from '../components/sparkline';
import { StateMark } from '../components/state_mark';
import { ago, time } from '../lib/format';
import { t } from '../lib/i18n';
import { to } from '../lib/router';
import { NewerRun } from './chip';

const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : null);

export function ChipCard({ row }: { row: ChipRow }) {
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
