import type { ChipRow, KnownFunctions, RunSummary } from '../api/messages';
import { Badges, WaiverCount } from '../components/badges';
import { ChipLink, chipName } from '../components/chip_link';
import { CalledFigure, CorrectnessFigure, CoverageFigure } from '../components/figures';
import { Link } from '../components/link';
import { OutcomeBar } from '../components/outcome_bar';
import { PartialMark } from '../components/partial_mark';
import { Sparkline } from '../components/sparkline';
import { StateMark } from '../components/state_mark';
import { ago, time } from '../lib/format';
import { t } from '../lib/i18n';
import { to } from '../lib/router';
import { NewerRun } from './newer_run';

const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : null);

// For a chip without a complete run, which has no figures of its own.
export function Known({ known }: { known: KnownFunctions | null }) {
  return (
    <p class="notice notice-note">
      <strong>{t('chip.no_complete')}</strong>{' '}
      {known &&
        t('chip.known', { ...known, n: known.tested, newest: ago(known.newest), oldest: ago(known.oldest) })}
    </p>
  );
}

function CardHead({ row, shown }: { row: ChipRow; shown: RunSummary }) {
  return (
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
  );
}

function CompleteFigures({ row, shown }: { row: ChipRow; shown: RunSummary }) {
  const { trend } = row;
  return (
    <>
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
          <CorrectnessFigure correctness={shown.correctness} />
          <Sparkline
            label={t('trend.correctness')}
            kind="correctness"
            values={trend.map((p) => ratio(p.correctness.passed, p.correctness.called))}
          />
        </div>
        <CalledFigure run={shown} />
      </div>
      <OutcomeBar outcomes={shown.outcomes} cases={shown.cases} />
    </>
  );
}

export function ChipCard({ row }: { row: ChipRow }) {
  const { complete, latest } = row;
  const shown = complete ?? latest;
  return (
    <article class="card chip-card" aria-label={chipName(row.chip)}>
      <CardHead row={row} shown={shown} />
      {complete ? <CompleteFigures row={row} shown={complete} /> : <Known known={row.known} />}
      <footer class="chip-foot small">
        <StateMark state={shown.state} />
        <PartialMark run={shown} />
        <span>
          <Link href={to.run(shown.run_id)}>{t(complete ? 'chip.complete_run' : 'overview.last_run')}</Link>{' '}
          <time dateTime={shown.created ?? ''} title={time(shown.created)}>
            {ago(shown.created)}
          </time>
        </span>
        {complete && <Failing run={complete} />}
        <WaiverCount n={shown.waivers_in_force} />
        <span class="muted">{t('common.runs', { n: row.runs })}</span>
      </footer>
      <NewerRun shown={shown} latest={latest} />
    </article>
  );
}

export function Failing({ run }: { run: RunSummary }) {
  if (run.correctness.called === 0) return <span class="muted">{t('overview.not_called')}</span>;
  if (run.failed === 0) return <span class="muted">{t('overview.none_fails')}</span>;
  return (
    <Link class="tone-bad" href={to.run(run.run_id, { outcome: 'failed' })}>
      ✕ {t('overview.fail', { n: run.failed })}
    </Link>
  );
}
