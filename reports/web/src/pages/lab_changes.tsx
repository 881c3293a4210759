import type { LabChip, RunSummary } from '../api/messages';
import { ChipLink } from '../components/chip_link';
import { Exported } from '../components/exported';
import { Labels } from '../components/labels';
import { Link } from '../components/link';
import { Head } from '../components/tips';
import { ago, count, shortHash, time } from '../lib/format';
import { t } from '../lib/i18n';
import { to } from '../lib/router';

const NAMED = 4;

function RunCell({ run }: { run: RunSummary }) {
  return (
    <>
      <Link href={to.run(run.run_id)}>
        <time dateTime={run.created ?? ''} title={time(run.created)}>
          {ago(run.created)}
        </time>
      </Link>
      <div class="small muted">
        {run.impl_version || t('common.no_version')} <code class="hash">{shortHash(run.impl_sha256)}</code>
      </div>
    </>
  );
}

// "add: 3 fail (0)", with a link to the operator's cases.
function Changes({ row, run }: { row: LabChip; run: RunSummary }) {
  const entry = ({ operator, before, now }: LabChip['changes'][number]) => (
    <li key={operator}>
      <Link class="mono" href={to.run(run.run_id, { operator })}>
        {operator}
      </Link>{' '}
      {t('lab.change', { before: before.passed, now: now.passed, failed: now.failed })}
    </li>
  );
  return (
    <>
      <ul class="changes small">{row.changes.slice(0, NAMED).map(entry)}</ul>
      {row.changes.length > NAMED && (
        <details class="more">
          <summary>{t('lab.more_operators', { n: row.changes.length - NAMED })}</summary>
          <ul class="changes small">{row.changes.slice(NAMED).map(entry)}</ul>
        </details>
      )}
    </>
  );
}

function Since({ row, run }: { row: LabChip; run: RunSummary }) {
  const { green } = row;
  if (!green) return <span class="muted">{t('lab.never_green')}</span>;
  if (green.run_id === run.run_id) return <span class="tone-good">✓ {t('lab.is_green')}</span>;
  if (row.changes.length === 0) return <span class="muted">{t('lab.no_change')}</span>;
  return (
    <>
      <Changes row={row} run={run} />
      <Link class="small" href={to.compare(green.run_id, run.run_id)}>
        {t('common.compare')}
      </Link>
    </>
  );
}

function Row({ row }: { row: LabChip }) {
  const { run, green } = row;
  return (
    <tr>
      <th scope="row">
        <ChipLink chip={row.chip} />
      </th>
      <td>{run ? <RunCell run={run} /> : <span class="muted">{t('chip.no_complete')}</span>}</td>
      <td class={run && run.failed > 0 ? 'num tone-bad' : 'num'}>{run ? count(run.failed) : ''}</td>
      <td>{green ? <RunCell run={green} /> : <span class="muted">{t('common.none')}</span>}</td>
      <td class="num">{count(row.runs_since)}</td>
      <td>{run && <Since row={row} run={run} />}</td>
      <td class="wide">{run && <Labels labels={run.labels} short />}</td>
    </tr>
  );
}

// What changed since the last green run of each chip.
export function LabChanges({ chips }: { chips: LabChip[] }) {
  return (
    <Exported name="changes">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('lab.changes')}>
        <table class="plain">
          <thead>
            <tr>
              <Head>{t('common.chip')}</Head>
              <Head says={t('term.lab_run')}>{t('lab.run')}</Head>
              <Head says={t('term.failed')} num>
                {t('runs.fail')}
              </Head>
              <Head says={t('term.green')}>{t('lab.green')}</Head>
              <Head says={t('term.runs_since')} num>
                {t('lab.runs_since')}
              </Head>
              <Head says={t('term.lab_changes')}>{t('lab.changed')}</Head>
              <Head says={t('term.labels')} class="wide">
                {t('facts.labels')}
              </Head>
            </tr>
          </thead>
          <tbody>
            {chips.map((row) => (
              <Row key={row.chip} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}
