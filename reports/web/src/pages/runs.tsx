import type { RunSummary } from '../api/messages';
import { useApi } from '../api/use_api';
import { DateRange } from '../components/date_range';
import { Explorations, useExplorations } from '../components/exploration_table';
import { FilterSelect } from '../components/filter_select';
import { Empty, Loading } from '../components/message';
import { RunTable } from '../components/run_table';
import { SearchField } from '../components/search_field';
import { t } from '../lib/i18n';
import { inRange } from '../lib/range';
import { usePlace } from '../lib/router';
import { useTitle } from '../lib/title';

const SHOWN = 200;

const searched = (run: RunSummary) => [
  run.run_id,
  run.chip,
  run.vendor_name,
  run.impl_version,
  run.impl_sha256,
  run.host,
  run.state,
];

export function RunsPageView() {
  useTitle(t('runs.title'));
  const { query } = usePlace();
  const loaded = useApi<{ runs: RunSummary[] }>(inRange(`/runs?limit=${SHOWN}`, query), 5000);
  const explorations = useExplorations();
  const all = loaded.data?.runs ?? [];
  const chip = query.get('chip') ?? '';
  const text = (query.get('q') ?? '').toLowerCase();
  const runs = all.filter(
    (run) =>
      (chip === '' || run.chip === chip) &&
      [...searched(run), ...Object.entries(run.labels).map((label) => label.join('='))]
        .join(' ')
        .toLowerCase()
        .includes(text),
  );
  const chips = [...new Set(all.map((run) => run.chip))].sort();
  return (
    <>
      <h1>{t('runs.title')}</h1>
      <div class="filters">
        <SearchField label={t('runs.search')} />
        <FilterSelect
          label={t('common.chip')}
          name="chip"
          options={chips.map((value) => ({ value, text: value }))}
        />
        <DateRange />
        {all.length === SHOWN && <span class="muted small">{t('runs.newest', { n: SHOWN })}</span>}
      </div>
      <Loading loaded={loaded}>
        {() => (runs.length === 0 ? <Empty>{t('runs.no_such')}</Empty> : <RunTable runs={runs} chip />)}
      </Loading>
      <Explorations list={explorations} chip />
    </>
  );
}
