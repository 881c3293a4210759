import { useMemo } from 'preact/hooks';
import type { ChipPage, CoverageCell, Failures, ModelsPage } from '../api/messages';
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
import { PlainTable } from '../components/plain_table';
import { Facts } from '../components/provenance';
import { RunTable } from '../components/run_table';
import { StateMark } from '../components/state_mark';
import { Head } from '../components/tips';
import { cellKind } from '../lib/coverage';
import { ago } from '../lib/format';
import { t } from '../lib/i18n';
import { missingText, MODEL_LOOKS, modelKind, scaledText } from '../lib/models';
import { to } from '../lib/router';
import { isPoint } from '../lib/trend';
import { useTitle } from '../lib/title';
import { Known } from './chip_card';
import { ChipPerformanceTrend } from './chip_performance';
import { ChipTrend } from './chip_trend';
import { NewerRun } from './newer_run';
import { RunGroups } from './run_groups';

const isPassing = (cell: CoverageCell) => cellKind(cell) === 'passing';

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
                    <Link href={to.run(cell.run_id)} class={`tone-${MODEL_LOOKS[modelKind(cell)].tone}`}>
                      {missingText(cell) || t('models.passes_scaled')}
                    </Link>{' '}
                    <span class="muted small">{scaledText(cell)}</span>
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

// Shown until the chip has a complete run: each function by its newest verdicts, failing ones first.
function KnownTable({ page }: { page: ChipPage }) {
  if (page.known.length === 0) return <Empty>{t('chip.not_measured')}</Empty>;
  const rows = [...page.known].sort((a, b) => Number(isPassing(a.cell)) - Number(isPassing(b.cell)));
  return (
    <PlainTable
      name="known"
      label={t('chip.functions')}
      rows={rows}
      rowKey={(row) => row.name}
      columns={[
        { head: t('column.function'), class: 'mono', cell: (row) => row.name },
        {
          head: t('chip.cases_that_pass'),
          num: true,
          cell: ({ cell, name }) => (
            <Link href={to.run(cell.run_id ?? '', { q: name })} class={isPassing(cell) ? '' : 'tone-bad'}>
              {t('common.of', { n: cell.passed, all: cell.cases })}
            </Link>
          ),
        },
        { head: t('chip.age'), class: 'nowrap', cell: ({ cell }) => ago(cell.created) },
      ]}
    />
  );
}

// The failures of the chip's newest complete run.
function Groups({ run }: { run: string }) {
  const failures = useApi<Failures>(`/runs/${encodeURIComponent(run)}/failures`);
  return (
    <section>
      <h2>{t('run.failures')}</h2>
      <Loading loaded={failures}>{(data) => <RunGroups run={run} failures={data} live={false} />}</Loading>
    </section>
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
        {page.complete ? <Figures run={shown} /> : <Known known={null} />}
        <NewerRun shown={shown} latest={latest} />
        {page.machine !== null && (
          <details class="more">
            <summary>{t('machine.title')}</summary>
            <Facts facts={machineFacts(page.machine)} />
          </details>
        )}
      </section>
      {page.complete && page.complete.failed > 0 && <Groups run={page.complete.run_id} />}
      <div class="columns">
        <section aria-labelledby="heat-title">
          <h2 id="heat-title">{t(heat.run_id === null ? 'chip.functions' : 'chip.heat')}</h2>
          {heat.run_id === null ? <KnownTable page={page} /> : <HeatMap heat={heat} run={heat.run_id} />}
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
