import type { RunSummary } from '../api/messages';
import { ago, count, percent, shortHash, time } from '../lib/format';
import { t } from '../lib/i18n';
import { to } from '../lib/router';
import { Badges } from './badges';
import { ChipLink } from './chip_link';
import { Exported } from './exported';
import { functionsText } from './figures';
import { Labels } from './labels';
import { Link } from './link';
import { OutcomeBar } from './outcome_bar';
import { PartialMark } from './partial_mark';
import { StateMark } from './state_mark';
import { Head } from './tips';

interface RowProps {
  run: RunSummary;
  before: RunSummary | undefined;
  chip: boolean;
  labels: boolean;
}

function Row({ run, before, chip, labels }: RowProps) {
  return (
    <tr>
      <td>
        <Link href={to.run(run.run_id)} class="mono">
          {run.run_id}
        </Link>
      </td>
      {chip && (
        <td>
          <ChipLink chip={run.chip} />
        </td>
      )}
      <td>
        <StateMark state={run.state} /> <PartialMark run={run} />
      </td>
      <td class="nowrap" title={ago(run.created)}>
        <time dateTime={run.created ?? ''}>{time(run.created)}</time>
      </td>
      <td class="num" title={functionsText(run.coverage)}>
        {count(run.coverage.passing)}
        <span class="muted">/{count(run.coverage.abi_functions)}</span>
      </td>
      <td class="num">{percent(run.correctness.passed, run.correctness.called)}</td>
      <td class={run.failed > 0 ? 'num tone-bad' : 'num'}>{count(run.failed)}</td>
      <td class="bar-column">
        <OutcomeBar outcomes={run.outcomes} cases={run.cases} />
      </td>
      <td class="wide nowrap">
        {run.impl_version || t('common.no_version')} <code class="hash">{shortHash(run.impl_sha256)}</code>
      </td>
      <td class="wide">
        <Badges badges={run.badges} contracts={run.contracts} />
      </td>
      {labels && (
        <td class="wide">
          <Labels labels={run.labels} short />
        </td>
      )}
      <td class="nowrap">
        {before && (
          <Link
            href={to.compare(before.run_id, run.run_id)}
            title={t('runs.compare_with', { run: before.run_id })}
          >
            {t('common.compare')}
          </Link>
        )}
      </td>
    </tr>
  );
}

// Runs, newest first. `chip`: also shows each run's chip. A run is compared with the next older run
// of its chip.
export function RunTable({ runs, chip = false }: { runs: RunSummary[]; chip?: boolean }) {
  const older = (run: RunSummary, at: number) => runs.slice(at + 1).find((other) => other.chip === run.chip);
  const labels = runs.some((run) => Object.keys(run.labels).length > 0);
  return (
    <Exported name="runs">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('runs.title')}>
        <table class="plain runs">
          <thead>
            <tr>
              <Head>{t('column.run')}</Head>
              {chip && <Head>{t('common.chip')}</Head>}
              <Head says={t('term.state')}>{t('runs.state')}</Head>
              <Head>{t('column.started')}</Head>
              <Head says={t('term.passing')} num>
                {t('runs.passing')}
              </Head>
              <Head says={t('term.correctness')} num>
                {t('runs.correctness')}
              </Head>
              <Head says={t('term.failed')} num>
                {t('runs.fail')}
              </Head>
              <Head says={t('term.outcomes')} class="bar-column">
                {t('runs.outcomes')}
              </Head>
              <Head says={t('term.library')} class="wide">
                {t('column.library')}
              </Head>
              <Head says={t('term.badges')} class="wide">
                {t('runs.badges')}
              </Head>
              {labels && (
                <Head says={t('term.labels')} class="wide">
                  {t('facts.labels')}
                </Head>
              )}
              <Head>
                <span class="visually-hidden">{t('runs.compare')}</span>
              </Head>
            </tr>
          </thead>
          <tbody>
            {runs.map((run, at) => (
              <Row key={run.run_id} run={run} before={older(run, at)} chip={chip} labels={labels} />
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}
