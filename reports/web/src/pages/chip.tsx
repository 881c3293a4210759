import { useMemo } from 'preact/hooks';
import type { ChipPage, ModelsPage, RunSummary } from '../api/types';
import { useApi } from '../api/use_api';
import { Badges, WaiverCount } from '../components/badges';
import { Figures } from '../components/figures';
import { HeatMap } from '../components/heat_map';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { PartialMark } from '../components/partial_mark';
import { RunTable } from '../components/run_table';
import { StateMark } from '../components/state_mark';
import { Head } from '../components/tips';
import { ago, plural } from '../lib/format';
import { missingText } from '../lib/models';
import { to } from '../lib/router';
import { TERMS } from '../lib/terms';
import { isPoint } from '../lib/trend';
import { useTitle } from '../lib/title';
import { ChipTrend } from './chip_trend';

function Flaky({ page }: { page: ChipPage }) {
  if (page.flaky.length === 0) return <Empty>None: no case changed its outcome with the same library.</Empty>;
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

// The models that the chip ran, those that are not ready first, and what stands between the chip and each.
function Models({ chip }: { chip: string }) {
  const { data } = useApi<ModelsPage>('/models');
  const at = data?.chips.indexOf(chip) ?? -1;
  const ran = (data?.models ?? []).flatMap(({ name, cells }) => {
    const cell = cells[at];
    return cell ? [{ name, cell }] : [];
  });
  if (ran.length === 0) return null;
  const ready = ran.filter(({ cell }) => cell.ready);
  const others = ran.filter(({ cell }) => !cell.ready);
  return (
    <>
      <h2 id="models-title">Models</h2>
      <p>
        <Link href={to.models}>{`${ready.length} of ${plural(ran.length, 'model')} ready`}</Link>
        {ready.length > 0 && <span class="muted small"> {ready.map(({ name }) => name).join(', ')}</span>}
      </p>
      {others.length > 0 && (
        <table class="plain" aria-labelledby="models-title">
          <tbody>
            {others.map(({ name, cell }) => (
              <tr key={name}>
                <th scope="row" class="mono">
                  {name}
                </th>
                <td>
                  <Link href={to.run(cell.run_id)}>{missingText(cell)}</Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

// A newer run that does not stand for the chip.
export function NewerRun({ shown, latest }: { shown: RunSummary; latest: RunSummary }) {
  if (latest.run_id === shown.run_id) return null;
  return (
    <p class="small">
      The <Link href={to.run(latest.run_id)}>latest run</Link> ({ago(latest.created)}) is{' '}
      <StateMark state={latest.state} />. <PartialMark run={latest} inFull />
    </p>
  );
}

function Body({ page }: { page: ChipPage }) {
  const { latest, heat } = page;
  const shown = page.complete ?? latest; // stands for the chip
  const points = useMemo(() => page.runs.filter(isPoint).reverse(), [page]);
  const left = page.runs.length - points.length;
  return (
    <>
      <section class="card head-card">
        <p class="head-line">
          <strong>{shown.vendor_name || 'no vendor name'}</strong> {shown.impl_version || 'no version'}
          <Badges badges={shown.badges} contracts={shown.contracts} />
          <WaiverCount n={shown.waivers_in_force} />
          <PartialMark run={shown} inFull />
          <span class="spring" />
          <StateMark state={shown.state} />
          <Link href={to.run(shown.run_id)}>{page.complete ? 'newest complete run' : 'latest run'}</Link>{' '}
          {ago(shown.created)}
        </p>
        <Figures run={shown} />
        <NewerRun shown={shown} latest={latest} />
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
          {points.length > 1 ? (
            <div class="card">
              <ChipTrend runs={points} />
            </div>
          ) : (
            <Empty>No trend yet: a trend needs two complete runs.</Empty>
          )}
          {left > 0 && (
            <p class="small muted">
              Without {plural(left, 'run')} that {left === 1 ? 'is' : 'are'} not complete.
            </p>
          )}
          <h2>Flaky cases</h2>
          <Flaky page={page} />
          <Models chip={latest.chip} />
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
