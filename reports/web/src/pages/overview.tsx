import type { ChipRow, LabPage, ModelsPage, RunSummary } from '../api/messages';
import { useApi } from '../api/use_api';
import { DateRange } from '../components/date_range';
import { Empty, Loading } from '../components/message';
import { RunTable } from '../components/run_table';
import { SearchField } from '../components/search_field';
import { MANY, matching } from '../lib/chips';
import { rich, t } from '../lib/i18n';
import { inRange, rangeQuery } from '../lib/range';
import { usePlace } from '../lib/router';
import { useTitle } from '../lib/title';
import { ChipCard } from './chip_card';
import { ChipTable } from './chip_table';
import { LabAgents } from './lab_agents';
import { LabChanges } from './lab_changes';
import { LabFailures } from './lab_failures';
import { LabOperators } from './lab_operators';
import { ModelTable, ranModels } from './models';

function NoRun({ ranged }: { ranged: boolean }) {
  return (
    <Empty>
      {ranged
        ? t('overview.none_in_range')
        : rich('overview.no_run', {
            command: <code>diopi-agent --impl LIBRARY --chip NAME --server ADDRESS</code>,
          })}
    </Empty>
  );
}

function shownChips({ chips }: LabPage, text: string): LabPage['chips'] {
  const shown = matching(
    chips.map(({ chip }) => chip),
    text,
  );
  return chips.filter((_, i) => shown.includes(i));
}

function Lab({ path }: { path: string }) {
  const lab = useApi<LabPage>(path, 15_000);
  const { query } = usePlace();
  return (
    <Loading loaded={lab}>
      {(page) =>
        page.chips.length === 0 ? null : (
          <>
            <h2 class="section">{t('lab.changes')}</h2>
            <LabChanges chips={shownChips(page, query.get('chip') ?? '')} />
            {page.chips.some(({ run }) => run !== null) && (
              <>
                <h2 class="section">{t('lab.failures')}</h2>
                <LabFailures failures={page.failures} />
                <h2 class="section">{t('lab.operators')}</h2>
                <LabOperators page={page} />
              </>
            )}
          </>
        )
      }
    </Loading>
  );
}

// Cards, or in a large lab a table with a filter, which the other tables of the page follow.
function Chips({ rows }: { rows: ChipRow[] }) {
  const { query } = usePlace();
  if (rows.length > MANY) {
    const shown = matching(
      rows.map((row) => row.chip),
      query.get('chip') ?? '',
    );
    return (
      <>
        <div class="filters">
          <SearchField label={t('common.chip')} name="chip" />
          <span class="spring" />
          <span class="muted small" role="status">
            {t('chips.count', { n: shown.length, all: rows.length })}
          </span>
        </div>
        <ChipTable rows={rows.filter((_, i) => shown.includes(i))} />
      </>
    );
  }
  return (
    <div class="chip-grid">
      {rows.map((row) => (
        <ChipCard key={row.chip} row={row} />
      ))}
    </div>
  );
}

function Models({ path }: { path: string }) {
  const { data } = useApi<ModelsPage>(path, 60_000);
  const models = data ? ranModels(data.models) : [];
  if (!data || models.length === 0) return null;
  return (
    <>
      <h2 class="section">{t('models.label')}</h2>
      <ModelTable chips={data.chips} models={models} />
    </>
  );
}

export function Overview() {
  useTitle(t('app.chips'));
  const { query } = usePlace();
  const chips = useApi<{ chips: ChipRow[] }>(inRange('/chips', query), 5000);
  const runs = useApi<{ runs: RunSummary[] }>(inRange('/runs?limit=12', query), 5000);
  const underWay =
    runs.data?.runs.filter(({ state }) => state === 'running' || state === 'queued').length ?? 0;
  return (
    <>
      <div class="title-line">
        <h1>{t('app.chips')}</h1>
        <span class="spring" />
        <DateRange />
      </div>
      <Loading loaded={chips}>
        {(data) =>
          data.chips.length === 0 ? <NoRun ranged={rangeQuery(query) !== ''} /> : <Chips rows={data.chips} />
        }
      </Loading>
      <Lab path={inRange('/lab', query)} />
      <Models path={inRange('/models', query)} />
      <LabAgents />
      <h2 class="section">
        {t('overview.newest_runs')}{' '}
        {underWay > 0 && <span class="muted small">{t('overview.under_way', { n: underWay })}</span>}
      </h2>
      <Loading loaded={runs}>
        {(data) =>
          data.runs.length === 0 ? <Empty>{t('overview.none')}</Empty> : <RunTable runs={data.runs} chip />
        }
      </Loading>
    </>
  );
}
