import type { History } from '../api/messages';
import { useApi } from '../api/use_api';
import { chipName } from '../components/chip_link';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Loading } from '../components/message';
import { OutcomeMark } from '../components/outcome_mark';
import { Head } from '../components/tips';
import { figure, micros, shortHash, time } from '../lib/format';
import { rich, t } from '../lib/i18n';
import { to } from '../lib/router';
import { HistoryChart } from './history_chart';

function HistoryTable({ history, run }: { history: History; run: string }) {
  const newest = [...history.points].reverse();
  return (
    <Exported name="history">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('history.label')}>
        <table class="plain">
          <thead>
            <tr>
              <Head>{t('column.run')}</Head>
              <Head>{t('column.started')}</Head>
              <Head says={t('term.outcome')}>{t('column.outcome')}</Head>
              <Head says={t('term.max_z')} num>
                {t('column.max_z')}
              </Head>
              <Head says={t('term.max_ulp')} num>
                {t('column.max_ulp')}
              </Head>
              <Head says={t('term.time')} num>
                {t('case.call')}
              </Head>
              <Head says={t('term.library')}>{t('column.library')}</Head>
            </tr>
          </thead>
          <tbody>
            {newest.map((p, i) => {
              const older = newest[i + 1];
              return (
                <tr key={p.run_id} aria-selected={p.run_id === run}>
                  <td>
                    <Link
                      class="mono nowrap"
                      href={to.case(p.run_id, history.case_id)}
                      aria-current={p.run_id === run ? 'true' : undefined}
                    >
                      {p.run_id}
                    </Link>
                  </td>
                  <td class="nowrap">{time(p.created)}</td>
                  <td>
                    <OutcomeMark outcome={p.outcome} />
                  </td>
                  <td class={p.max_z === null ? 'num muted' : 'num'}>{figure(p.max_z)}</td>
                  <td class={p.max_ulp === null ? 'num muted' : 'num'}>{figure(p.max_ulp)}</td>
                  <td class="num">{micros(p.call_us)}</td>
                  <td class="nowrap">
                    {p.impl_version} <code class="hash">{shortHash(p.impl_sha256)}</code>
                    {older && older.variant !== p.variant && (
                      <span class="badge spaced">{t('history.new_variant')}</span>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}

function Since({ history }: { history: History }) {
  const { first_bad, last_good, flaky, changes, case_id } = history;
  const run = (id: string) => (
    <Link class="mono" href={to.case(id, case_id)}>
      {id}
    </Link>
  );
  return (
    <p class="small">
      {flaky && <strong class="tone-note">≈ {t('history.flaky', { n: changes })} </strong>}
      {first_bad
        ? last_good
          ? rich('history.since_good', {
              run: run(first_bad),
              good: run(last_good),
              compare: <Link href={to.compare(last_good, first_bad)}>{t('history.compare')}</Link>,
            })
          : rich('history.since', { run: run(first_bad) })
        : t('history.passes')}
    </p>
  );
}

export function CaseHistory({ run, caseId, chip }: { run: string; caseId: string; chip: string }) {
  const path = `/cases/${encodeURIComponent(caseId)}/history?chip=${encodeURIComponent(chip)}`;
  const loaded = useApi<History>(path);
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">
        {rich('history.title', { chip: <Link href={to.chip(chip)}>{chipName(chip)}</Link> })}
      </h2>
      <Loading loaded={loaded}>
        {(history) => (
          <>
            <Since history={history} />
            {history.points.length > 1 && (
              <div class="card history-chart">
                <HistoryChart points={history.points} caseId={history.case_id} />
              </div>
            )}
            <HistoryTable history={history} run={run} />
          </>
        )}
      </Loading>
    </section>
  );
}
