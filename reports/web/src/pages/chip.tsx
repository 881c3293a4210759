import { useMemo } from 'preact/hooks';
import type { ChipPage, ModelsPage, RunSummary } from '../api/messages';
import { useApi } from '../api/use_api';
import { Badges, WaiverCount } from '../components/badges';
import { Explorations, useExplorations } from '../components/exploration_table';
import { Exported } from '../components/exported';
import { Figures } from '../components/figures';
import { HeatMap } from '../components/heat_map';
import { machineFacts } from '../components/machine_facts';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { PartialMark } from '../components/partial_mark';
import { Facts } from '../components/provenance';
import { RunTable } from '../components/run_table';
import { StateMark } from '../components/state_mark';
import { Head } from '../components/tips';
import { ago } from '../lib/format';
import { rich, t } from '../lib/i18n';
import { missingText } from '../lib/models';
import { to } from '../lib/router';
import { isPoint } from '../lib/trend';
import { useTitle } from '../lib/title';
import { ChipPerformanceTrend } from './chip_performance';
import { ChipTrend } from './chip_trend';

function Flaky({ page }: { page: ChipPage }) {
  if (page.flaky.length === 0) return <Empty>{t('chip.no_flaky')}</Empty>;
  return (
    <Exported name="flaky">
      <table class="plain">
        <thead>
          <tr>
            <Head>{t('column.case')}</Head>
            <Head says={t('term.changes')} num>
              {t('chip.changes')}
            </Head>
            <Head says={t('term.flaky_runs')} num>
              {t('chip.runs')}
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
    </Exported>
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
      <h2 id="models-title">{t('app.models')}</h2>
      <p>
        <Link href={to.models}>{t('chip.models_ready', { ready: ready.length, n: ran.length })}</Link>
        {ready.length > 0 && <span class="muted small"> {ready.map(({ name }) => name).join(', ')}</span>}
      </p>
      {others.length > 0 && (
        <Exported name="models">
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
        </Exported>
      )}
    </>
  );
}

// A newer run that does not stand for the chip.
export function NewerRun({ shown, latest }: { shown: RunSummary; latest: RunSummary }) {
  if (latest.run_id === shown.run_id) return null;
  return (
    <p class="small">
      {rich('chip.newer', {
        run: <Link href={to.run(latest.run_id)}>{t('chip.latest_run')}</Link>,
        ago: ago(latest.created),
        state: <StateMark state={latest.state} />,
      })}{' '}
      <PartialMark run={latest} inFull />
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
          <strong>{shown.vendor_name || t('common.no_vendor')}</strong>{' '}
          {shown.impl_version || t('common.no_version')}
          <Badges badges={shown.badges} contracts={shown.contracts} />
          <WaiverCount n={shown.waivers_in_force} />
          <PartialMark run={shown} inFull />
          <span class="spring" />
          <StateMark state={shown.state} />
          <Link href={to.run(shown.run_id)}>
            {t(page.complete ? 'chip.complete_run' : 'chip.latest_run')}
          </Link>{' '}
          {ago(shown.created)}
        </p>
        <Figures run={shown} />
        <NewerRun shown={shown} latest={latest} />
        {page.machine !== null && (
          <details class="more">
            <summary>{t('machine.title')}</summary>
            <Facts facts={machineFacts(page.machine)} />
          </details>
        )}
      </section>
      <div class="columns">
        <section aria-labelledby="heat-title">
          <h2 id="heat-title">{t('chip.heat')}</h2>
          {heat.run_id === null ? (
            <Empty>{t('chip.not_measured')}</Empty>
          ) : (
            <HeatMap heat={heat} run={heat.run_id} />
          )}
        </section>
        <section aria-labelledby="trend-title">
          <h2 id="trend-title">{t('chip.trend')}</h2>
          {points.length > 1 ? (
            <div class="card">
              <ChipTrend runs={points} />
            </div>
          ) : (
            <Empty>{t('chip.no_trend')}</Empty>
          )}
          {left > 0 && <p class="small muted">{t('chip.without', { n: left })}</p>}
          <ChipPerformanceTrend chip={latest.chip} />
          <h2>{t('chip.flaky')}</h2>
          <Flaky page={page} />
          <Models chip={latest.chip} />
        </section>
      </div>
      <h2 class="section">
        {t(page.runs.length < 50 ? 'common.runs' : 'chip.newest_runs', { n: page.runs.length })}
      </h2>
      <RunTable runs={page.runs} />
    </>
  );
}

export function ChipPageView({ chip }: { chip: string }) {
  useTitle(chip);
  const loaded = useApi<ChipPage>(`/chips/${encodeURIComponent(chip)}`, 5000);
  const explorations = useExplorations(chip);
  const withoutRuns = loaded.error?.status === 404 && explorations.length > 0;
  return (
    <>
      <nav class="crumbs" aria-label={t('app.above')}>
        <Link href={to.overview}>{t('app.chips')}</Link>
      </nav>
      <h1 class="cut" title={chip}>
        {chip}
      </h1>
      {withoutRuns ? (
        <Empty>{t('chip.only_explored')}</Empty>
      ) : (
        <Loading loaded={loaded}>{(page) => <Body page={page} />}</Loading>
      )}
      <Explorations list={explorations} chip={false} />
    </>
  );
}
