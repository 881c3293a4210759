import type { History } from '../api/types';
import { useApi } from '../api/use_api';
import { Link } from '../components/link';
import { Loading } from '../components/message';
import { OutcomeMark } from '../components/outcome_mark';
import { Head } from '../components/tips';
import { figure, micros, shortHash, time } from '../lib/format';
import { to } from '../lib/router';
import { TERMS } from '../lib/terms';
import { HistoryChart } from './history_chart';

function HistoryTable({ history, run }: { history: History; run: string }) {
  const newest = [...history.points].reverse();
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="History">
      <table class="plain">
        <thead>
          <tr>
            <Head>Run</Head>
            <Head>Started</Head>
            <Head says={TERMS.outcome}>Outcome</Head>
            <Head says={TERMS.max_z} num>
              max z
            </Head>
            <Head says={TERMS.max_ulp} num>
              max ulp
            </Head>
            <Head says={TERMS.time} num>
              Call
            </Head>
            <Head says={TERMS.library}>Library</Head>
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
                  {older && older.variant !== p.variant && <span class="badge spaced">new variant</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Since({ history }: { history: History }) {
  const { first_bad, last_good, flaky, changes, case_id } = history;
  return (
    <p class="small">
      {flaky && <strong class="tone-note">≈ Flaky: {changes} changes with the same library. </strong>}
      {first_bad ? (
        <>
          Not passing since{' '}
          <Link class="mono" href={to.case(first_bad, case_id)}>
            {first_bad}
          </Link>
          {last_good ? (
            <>
              ; last passed in{' '}
              <Link class="mono" href={to.case(last_good, case_id)}>
                {last_good}
              </Link>{' '}
              (<Link href={to.compare(last_good, first_bad)}>compare the two</Link>)
            </>
          ) : (
            '; no run before it passed'
          )}
          .
        </>
      ) : (
        'Passes in the newest run.'
      )}
    </p>
  );
}

export function CaseHistory({ run, caseId, chip }: { run: string; caseId: string; chip: string }) {
  const path = `/cases/${encodeURIComponent(caseId)}/history?chip=${encodeURIComponent(chip)}`;
  const loaded = useApi<History>(path);
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">
        History on <Link href={to.chip(chip)}>{chip || 'unnamed chip'}</Link>
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
