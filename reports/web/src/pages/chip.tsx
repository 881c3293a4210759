import { useMemo } from 'preact/hooks';
import type { ChipPage } from '../api/types';
import { useApi } from '../api/use_api';
import { Badges, WaiverCount } from '../components/badges';
import { Figures } from '../components/figures';
import { HeatMap } from '../components/heat_map';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { RunTable } from '../components/run_table';
import { StateMark } from '../components/state_mark';
import { Head } from '../components/tips';
import { ago, plural } from '../lib/format';
import { to } from '../lib/router';
import { TERMS } from '../lib/terms';
import { useTitle } from '../lib/title';
import { ChipTrend } from './chip_trend';

function Flaky({ page }: { page: ChipPage }) {
  if (page.flaky.length === 0)
    return <Empty>None: no case came out differently under the same library.</Empty>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <Head>Case</Head>
          <Head says={TERMS.changes} num>
            Changes
          </Head>
          <Head says={TERMS.flaky_runs} num>
            Runs
          </Head>
        </tr>
      </thead>
      <tbody>
        {page.flaky.map(({ case_id, runs, changes }) => (
          <tr key={case_id}>
            <td>
              <Link class="mono" href={to.case(page.latest.run_id, case_id)}>
                {case_id}
              </Link>
            </td>
            <td class="num">{changes}</td>
            <td class="num">{runs}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Body({ page }: { page: ChipPage }) {
  const { latest, heat } = page;
  const oldestFirst = useMemo(() => [...page.runs].reverse(), [page]);
  return (
    <>
      <section class="card head-card">
        <p class="head-line">
          <strong>{latest.vendor_name || 'no vendor name'}</strong> {latest.impl_version || 'no version'}
          <Badges badges={latest.badges} contracts={latest.contracts} />
          <WaiverCount n={latest.waivers_in_force} />
          <span class="spring" />
          <StateMark state={latest.state} />
          <Link href={to.run(latest.run_id)}>latest run</Link> {ago(latest.created)}
        </p>
        <Figures run={latest} />
      </section>
      <div class="columns">
        <section aria-labelledby="heat-title">
          <h2 id="heat-title">Operators by dtype</h2>
          {heat.run_id === null ? (
            <Empty>Not measured yet.</Empty>
          ) : (
            <HeatMap heat={heat} run={heat.run_id} />
          )}
        </section>
        <section aria-labelledby="trend-title">
          <h2 id="trend-title">Trend</h2>
          {page.runs.length > 1 ? (
            <div class="card">
              <ChipTrend runs={oldestFirst} />
            </div>
          ) : (
            <Empty>One run is no trend yet.</Empty>
          )}
          <h2>Flaky cases</h2>
          <Flaky page={page} />
        </section>
      </div>
      <h2 class="section">
        {page.runs.length < 50 ? plural(page.runs.length, 'run') : 'The newest 50 runs'}
      </h2>
      <RunTable runs={page.runs} />
    </>
  );
}

export function ChipPageView({ chip }: { chip: string }) {
  useTitle(chip);
  const loaded = useApi<ChipPage>(`/chips/${encodeURIComponent(chip)}`, 5000);
  return (
    <>
      <nav class="crumbs" aria-label="Above">
        <Link href={to.overview}>Chips</Link>
      </nav>
      <h1 class="cut" title={chip}>
        {chip}
      </h1>
      <Loading loaded={loaded}>{(page) => <Body page={page} />}</Loading>
    </>
  );
}
