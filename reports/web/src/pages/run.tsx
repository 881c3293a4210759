import { useEffect, useMemo } from 'preact/hooks';
import type { CasesTable, RunPage, RunState } from '../api/types';
import { useApi } from '../api/use_api';
import { Badges, WaiverCount } from '../components/badges';
import { Figures } from '../components/figures';
import { Link } from '../components/link';
import { Loading } from '../components/message';
import { StateMark } from '../components/state_mark';
import { parseCases } from '../lib/cases';
import { ago, time } from '../lib/format';
import { to } from '../lib/router';
import { useTitle } from '../lib/title';
import { RunCases } from './run_cases';
import { RunFacts } from './run_facts';
import { RunLive } from './run_live';
import { RunOperators } from './run_operators';

export const isLive = (state: RunState | undefined): boolean => state === 'running' || state === 'queued';

function Head({ run }: { run: RunPage }) {
  return (
    <section class="card head-card">
      <p class="head-line">
        <StateMark state={run.state} />
        <Link href={to.chip(run.chip)}>
          <strong>{run.chip || 'unnamed chip'}</strong>
        </Link>
        <span>
          {run.vendor_name || 'no vendor name'} {run.impl_version || 'no version'}
        </span>
        <Badges badges={run.badges} contracts={run.contracts} />
        <WaiverCount n={run.waivers_in_force} />
        <span class="spring" />
        <time dateTime={run.created ?? ''} title={ago(run.created)}>
          {time(run.created)}
        </time>
        <Link href={to.compare(undefined, run.run_id)}>compare</Link>
      </p>
      <Figures run={run} />
      <RunFacts run={run} />
    </section>
  );
}

function Body({ run, cases }: { run: RunPage; cases: ReturnType<typeof useApi<CasesTable>> }) {
  const rows = useMemo(() => (cases.data ? parseCases(cases.data) : []), [cases.data]);
  return (
    <>
      <Head run={run} />
      <div class="run-body">
        <RunOperators operators={run.operators} />
        <section class="run-cases" aria-label="Cases">
          <Loading loaded={cases}>{() => <RunCases run={run.run_id} rows={rows} />}</Loading>
        </section>
      </div>
    </>
  );
}

export function RunPageView({ run }: { run: string }) {
  useTitle(`Run ${run}`);
  const path = `/runs/${encodeURIComponent(run)}`;
  const first = useApi<RunPage>(path);
  const live = isLive(first.data?.state);
  const cases = useApi<CasesTable>(`${path}/cases`, live ? 4000 : null);
  const reload = first.reload;
  // The figures follow the run; its end is seen here too, and stops the polling.
  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(reload, 3000);
    return () => clearInterval(timer);
  }, [live, reload]);
  return (
    <>
      <nav class="crumbs" aria-label="Above">
        <Link href={to.runs}>Runs</Link>
      </nav>
      <h1 class="mono">{run}</h1>
      {live && <RunLive run={run} onEnd={reload} />}
      <Loading loaded={first}>{(page) => <Body run={page} cases={cases} />}</Loading>
    </>
  );
}
