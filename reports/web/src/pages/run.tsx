import { useEffect, useMemo } from 'preact/hooks';
import type { CasesTable, Failures, RunPage } from '../api/messages';
import { useApi } from '../api/use_api';
import { Badges, WaiverCount } from '../components/badges';
import { ChipLink } from '../components/chip_link';
import { Figures } from '../components/figures';
import { Link } from '../components/link';
import { Loading } from '../components/message';
import { PartialMark } from '../components/partial_mark';
import { StateMark } from '../components/state_mark';
import { asksForCases, asksForPerformance, parseCases } from '../lib/cases';
import { textOr } from '../lib/findings';
import { ago, count, time } from '../lib/format';
import { t } from '../lib/i18n';
import { to, usePlace, withQuery } from '../lib/router';
import { isLive } from '../lib/state';
import { useTitle } from '../lib/title';
import { ExplorationView } from './exploration';
import { PerformanceView } from './performance';
import { RunCases } from './run_cases';
import { RunFacts } from './run_facts';
import { RunGroups } from './run_groups';
import { RunLive } from './run_live';
import { RunOperators } from './run_operators';

function Head({ run }: { run: RunPage }) {
  return (
    <section class="card head-card">
      <p class="head-line">
        <StateMark state={run.state} />
        <PartialMark run={run} inFull />
        <strong class="chip-name">
          <ChipLink chip={run.chip} />
        </strong>
        <span>
          {run.vendor_name || t('common.no_vendor')} {run.impl_version || t('common.no_version')}
        </span>
        <Badges badges={run.badges} contracts={run.contracts} />
        <WaiverCount n={run.waivers_in_force} />
        <span class="spring" />
        <time dateTime={run.created ?? ''} title={ago(run.created)}>
          {time(run.created)}
        </time>
        <Link href={to.compare(undefined, run.run_id)}>{t('common.compare')}</Link>
      </p>
      <Figures run={run} />
      <RunFacts run={run} />
    </section>
  );
}

interface BodyProps {
  run: RunPage;
  cases: ReturnType<typeof useApi<CasesTable>>;
  failures: ReturnType<typeof useApi<Failures>>;
}

// The cases of the run, or of one group of failures.
function CasesView({ run, cases, failures }: BodyProps) {
  const place = usePlace();
  const key = place.query.get('group') ?? '';
  const group = failures.data?.groups.find((one) => one.key === key);
  const rows = useMemo(() => {
    const all = cases.data ? parseCases(cases.data) : [];
    if (key === '') return all;
    const among = new Set(group?.case_ids);
    return all.filter((row) => among.has(row.case_id));
  }, [cases.data, key, group]);
  return (
    <>
      {key !== '' && (
        <p class="notice">
          {t('run.group', {
            cause: group ? textOr(group.finding, group.cause) : failures.data ? t('run.no_group') : '…',
          })}{' '}
          <Link href={withQuery(place, { group: null, view: 'cases' })}>{t('run.all_cases')}</Link>
        </p>
      )}
      <Loading loaded={cases}>{() => <RunCases run={run.run_id} rows={rows} />}</Loading>
    </>
  );
}

type View = 'failures' | 'cases' | 'performance';

// The tab that the address asks for; only a run that measured something has the third.
function viewOf(run: RunPage, query: URLSearchParams): View {
  if (asksForCases(query)) return 'cases';
  return run.measured_calls > 0 && asksForPerformance(query) ? 'performance' : 'failures';
}

function Tabs({ run, view, groups }: { run: RunPage; view: View; groups: number | undefined }) {
  const current = (tab: View) => (tab === view ? 'page' : undefined);
  return (
    <nav class="tabs" aria-label={t('run.views')}>
      <Link href={to.run(run.run_id)} aria-current={current('failures')}>
        {t('run.failures')} {groups !== undefined && <span class="muted">{count(groups)}</span>}
      </Link>
      <Link
        href={to.run(run.run_id, run.failed > 0 ? { outcome: 'failed' } : {})}
        aria-current={current('cases')}
      >
        {t('column.cases')} <span class="muted">{count(run.cases)}</span>
      </Link>
      {run.measured_calls > 0 && (
        <Link href={to.performance(run.run_id)} aria-current={current('performance')}>
          {t('perf.tab')} <span class="muted">{count(run.measured_calls)}</span>
        </Link>
      )}
    </nav>
  );
}

function Body(props: BodyProps) {
  const { run, failures } = props;
  const view = viewOf(run, usePlace().query);
  return (
    <>
      <Head run={run} />
      <div class={view === 'performance' ? 'run-body run-body-wide' : 'run-body'}>
        {view !== 'performance' && <RunOperators operators={run.operators} />}
        <div class="run-cases">
          <Tabs run={run} view={view} groups={failures.data?.groups.length} />
          {view === 'performance' && <PerformanceView run={run} />}
          {view === 'cases' && <CasesView {...props} />}
          {view === 'failures' && (
            <Loading loaded={failures}>
              {(data) => <RunGroups run={run.run_id} failures={data} live={isLive(run.state)} />}
            </Loading>
          )}
        </div>
      </div>
    </>
  );
}

export function RunPageView({ run }: { run: string }) {
  useTitle(t('run.title', { run }));
  const inCases = asksForCases(usePlace().query);
  const path = `/runs/${encodeURIComponent(run)}`;
  const first = useApi<RunPage>(path);
  const live = isLive(first.data?.state);
  const explores = first.data?.exploration;
  const cases = useApi<CasesTable>(inCases ? `${path}/cases` : null, live ? 4000 : null);
  const failures = useApi<Failures>(`${path}/failures`, live ? 4000 : null);
  const reload = first.reload;
  // The figures follow the run; its end stops the polling.
  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(reload, 3000);
    return () => clearInterval(timer);
  }, [live, reload]);
  return (
    <>
      <nav class="crumbs" aria-label={t('app.above')}>
        <Link href={to.runs}>{t('runs.title')}</Link>
      </nav>
      <h1 class="mono">{run}</h1>
      {live && !explores && <RunLive run={run} onEnd={reload} />}
      <Loading loaded={first}>
        {(page) =>
          page.exploration ? (
            <ExplorationView run={page} done={page.exploration} />
          ) : (
            <Body run={page} cases={cases} failures={failures} />
          )
        }
      </Loading>
    </>
  );
}
