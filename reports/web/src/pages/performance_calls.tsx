import { useLayoutEffect, useMemo } from 'preact/hooks';
import type { Call } from '../api/messages';
import { DataTable, type Column, type Wrapped } from '../components/data_table';
import { FilterSelect } from '../components/filter_select';
import { Link } from '../components/link';
import { SearchField } from '../components/search_field';
import { rememberList } from '../lib/case_list';
import { countBy, readSort, sortRows } from '../lib/cases';
import { textOr } from '../lib/findings';
import { figure, micros, share } from '../lib/format';
import { t } from '../lib/i18n';
import { callRow, filterCalls, isMeasured, readCallFilter, type CallRow } from '../lib/performance';
import { to, usePlace } from '../lib/router';

const dash = () => <span title={t('common.not_measured')}>–</span>;
const why = (row: CallRow) =>
  row.not_measured
    ? t('perf.not_measured', { why: textOr(row.call.not_measured_found, row.not_measured) })
    : '';
const time = (us: number | null) => (us === null ? dash() : micros(us));
const giga = (rate: number | null) => (rate === null ? dash() : figure(rate / 1e9));

function interval({ call }: CallRow) {
  if (!isMeasured(call)) return dash();
  return t('compare.range', { low: micros(call.us.low), high: micros(call.us.high) });
}

const WRAPPED: Wrapped<CallRow>[] = [
  { text: (r) => r.function, column: 'function', narrow: 'function' },
  { text: (r) => `${r.dtype} ${r.shapes}`, column: 'function', narrow: 'function' },
  { text: why, column: 'function', narrow: 'function' },
];

function names(run: string): Column<CallRow>[] {
  return [
    {
      key: 'function',
      head: t('column.function'),
      width: '',
      cell: (r) => (
        <>
          <Link class="wrapped" href={to.case(run, r.call.judged_case)}>
            {r.function}
          </Link>
          <span class="muted wrapped">
            {r.dtype} {r.shapes}
          </span>
          {r.not_measured !== '' && <span class="tone-note wrapped">{why(r)}</span>}
        </>
      ),
    },
  ];
}

function column(
  key: keyof CallRow,
  head: string,
  says: string,
  width: number,
  cell: Column<CallRow>['cell'],
): Column<CallRow> {
  return { key, head, says, width: `${width}px`, numeric: true, wide: true, cell };
}

const figures = (): Column<CallRow>[] => [
  {
    ...column('median', t('perf.median'), t('term.perf_median'), 80, (r) => time(r.median)),
    wide: false,
  },
  column('spread', t('perf.interval'), t('term.perf_interval'), 146, interval),
  column('cold_us', t('perf.cold'), t('term.perf_cold'), 80, (r) => time(r.cold_us)),
  column('first_us', t('perf.first'), t('term.perf_first'), 80, (r) => time(r.first_us)),
  column('bytes_per_s', 'GB/s', t('term.perf_bytes'), 72, (r) => giga(r.bytes_per_s)),
  column('operations_per_s', 'Gop/s', t('term.perf_operations'), 72, (r) => giga(r.operations_per_s)),
  {
    ...column('roofline_share', t('perf.share'), t('term.perf_share'), 88, (r) =>
      r.roofline_share === null ? dash() : share(r.roofline_share),
    ),
    wide: false,
  },
  {
    ...column('bound', t('perf.bound'), t('term.perf_bound'), 80, (r) =>
      r.bound === null ? dash() : t(r.bound === 'memory' ? 'perf.memory' : 'perf.compute'),
    ),
    numeric: false,
  },
  column('score', t('perf.score_column'), t('term.perf_score'), 66, (r) =>
    r.score === null ? dash() : figure(r.score),
  ),
];

function Filters({ rows, shown }: { rows: CallRow[]; shown: number }) {
  const dtypes = useMemo(() => [...countBy(rows, (row) => row.dtype)].sort(), [rows]);
  const without = rows.filter((row) => row.not_measured !== '').length;
  return (
    <div class="filters">
      <SearchField label={t('perf.search')} />
      <FilterSelect
        label={t('common.dtype')}
        name="dtype"
        options={dtypes.map(([value, n]) => ({ value, text: t('filter.counted', { value, n }) }))}
      />
      {without > 0 && (
        <FilterSelect
          label={t('perf.times')}
          name="measured"
          options={[
            { value: 'yes', text: t('perf.with_time', { n: rows.length - without }) },
            { value: 'no', text: t('perf.without_time', { n: without }) },
          ]}
        />
      )}
      <span class="spring" />
      <span class="muted small" role="status">
        {shown === rows.length
          ? t('perf.n_calls', { n: shown })
          : t('perf.some', { n: shown, all: rows.length })}
      </span>
    </div>
  );
}

// Every call with its figures, or with the reason why it has none; a row opens the judged case.
export function PerformanceCalls({ run, calls }: { run: string; calls: Call[] }) {
  const { query } = usePlace();
  const key = query.toString();
  const rows = useMemo(() => calls.map(callRow), [calls]);
  const shown = useMemo(
    () => sortRows(filterCalls(rows, readCallFilter(query)), readSort(query)),
    [rows, key],
  );
  const scored = useMemo(() => rows.some((row) => row.score !== null), [rows]);
  const heads = useMemo(
    () => [...names(run), ...figures().filter((head) => head.key !== 'score' || scored)],
    [run, scored],
  );
  useLayoutEffect(
    () => rememberList(run, [...new Set(shown.map((row) => row.call.judged_case))]),
    [run, shown],
  );
  return (
    <>
      <Filters rows={rows} shown={shown.length} />
      <DataTable
        label={t('perf.calls_label')}
        name="calls"
        rows={shown}
        columns={heads}
        rowKey={(row) => row.call.case}
        rowHref={(row) => to.case(run, row.call.judged_case)}
        sort={readSort(query)}
        wrapped={WRAPPED}
        empty={t('perf.no_match')}
      />
    </>
  );
}
