import { useLayoutEffect, useMemo } from 'preact/hooks';
import { DataTable, type Column, type Wrapped } from '../components/data_table';
import { FilterSelect } from '../components/filter_select';
import { Link } from '../components/link';
import { OutcomeMark } from '../components/outcome_mark';
import { SearchField } from '../components/search_field';
import { ToggleChips } from '../components/toggle_chips';
import { rememberList } from '../lib/case_list';
import { countBy, filterCases, readFilter, readSort, sortRows, type CaseRow } from '../lib/cases';
import { reasonText } from '../lib/findings';
import { micros, percent, shortFigure } from '../lib/format';
import { t } from '../lib/i18n';
import { OUTCOME_ORDER } from '../lib/outcomes';
import { to, usePlace } from '../lib/router';

const dash = () => <span title={t('common.not_measured')}>–</span>;

function PublicMark({ row }: { row: CaseRow }) {
  if (row.public_pass === null) return dash();
  const differs = row.public_pass !== (row.outcome === 'pass');
  return (
    <span class={differs ? 'tone-note' : 'muted'} title={t(differs ? 'cases.differs' : 'cases.same')}>
      {row.public_pass ? 'pass' : 'fail'}
      {differs ? ' ≠' : ''}
    </span>
  );
}

const figures = (): Column<CaseRow>[] => [
  {
    key: 'max_z',
    head: t('column.max_z'),
    says: t('term.max_z'),
    width: '66px',
    numeric: true,
    cell: (r) => shortFigure(r.max_z),
  },
  {
    key: 'max_ulp',
    head: t('column.max_ulp'),
    says: t('term.max_ulp'),
    width: '74px',
    numeric: true,
    wide: true,
    cell: (r) => shortFigure(r.max_ulp),
  },
  {
    key: 'mismatch_ratio',
    head: t('cases.beyond'),
    says: t('term.beyond'),
    width: '66px',
    numeric: true,
    wide: true,
    cell: (r) => (typeof r.mismatch_ratio === 'number' ? percent(r.mismatch_ratio, 1) : dash()),
  },
  {
    key: 'call_us',
    head: t('cases.time'),
    says: t('term.time'),
    width: '78px',
    numeric: true,
    wide: true,
    cell: (r) => (r.call_us === null ? dash() : micros(r.call_us)),
  },
  {
    key: 'grade',
    head: t('cases.grade'),
    says: t('term.grade'),
    width: '62px',
    wide: true,
    cell: (r) => r.grade ?? dash(),
  },
  {
    key: 'public_pass',
    head: t('cases.public'),
    says: t('term.public'),
    width: '64px',
    wide: true,
    cell: (r) => <PublicMark row={r} />,
  },
];

const WRAPPED: Wrapped<CaseRow>[] = [
  { text: (r) => r.case_id, column: 'case_id', narrow: 'case_id' },
  { text: (r) => reasonText(r), column: 'reason', narrow: 'case_id' },
];

function columns(run: string): Column<CaseRow>[] {
  return [
    {
      key: 'outcome',
      head: t('column.outcome'),
      says: t('term.outcome'),
      width: 'var(--outcome-width)',
      cell: (r) => <OutcomeMark outcome={r.outcome} />,
    },
    {
      key: 'case_id',
      head: t('column.case'),
      width: '',
      cell: (r) => (
        <>
          <Link class="wrapped" href={to.case(run, r.case_id)}>
            {r.case_id}
          </Link>
          <span class="under muted wrapped">{reasonText(r)}</span>
        </>
      ),
    },
    {
      key: 'reason',
      head: t('column.reason'),
      says: t('term.reason'),
      width: '28%',
      wide: true,
      cell: (r) => <span class="wrapped">{reasonText(r)}</span>,
    },
    ...figures(),
  ];
}

// The filters; each shows how many cases it would leave, given the other filters.
function Filters({ rows, shown }: { rows: CaseRow[]; shown: number }) {
  const { query } = usePlace();
  const outcomes = useMemo(() => {
    const others = filterCases(rows, { ...readFilter(query), outcomes: new Set() });
    return countBy(others, (row) => row.outcome);
  }, [rows, query.toString()]);
  const dtypes = useMemo(() => countBy(rows, (row) => row.dtype), [rows]);
  const chips = OUTCOME_ORDER.filter((o) => outcomes.has(o) || readFilter(query).outcomes.has(o)).map(
    (outcome) => ({
      value: outcome,
      content: <OutcomeMark outcome={outcome} />,
      n: outcomes.get(outcome) ?? 0,
    }),
  );
  const failed = filterCases(rows, { ...readFilter(query), outcomes: new Set(['failed']) }).length;
  return (
    <div class="filters">
      <SearchField label={t('cases.search')} />
      <FilterSelect
        label={t('common.dtype')}
        name="dtype"
        options={[...dtypes].sort().map(([value, n]) => ({
          value,
          text: t('filter.counted', { value: value || t('common.none'), n }),
        }))}
      />
      <ToggleChips
        label={t('runs.outcomes')}
        name="outcome"
        chips={[
          { value: 'failed', content: <span class="tone-bad">{t('cases.all_failures')}</span>, n: failed },
          ...chips,
        ]}
      />
      <span class="spring" />
      <span class="muted small" role="status">
        {shown === rows.length
          ? t('common.cases', { n: shown })
          : t('cases.some', { n: shown, all: rows.length })}
      </span>
    </div>
  );
}

export function RunCases({ run, rows }: { run: string; rows: CaseRow[] }) {
  const { query } = usePlace();
  const key = query.toString();
  const shown = useMemo(() => sortRows(filterCases(rows, readFilter(query)), readSort(query)), [rows, key]);
  const heads = useMemo(() => columns(run), [run]);
  useLayoutEffect(
    () =>
      rememberList(
        run,
        shown.map((row) => row.case_id),
      ),
    [run, shown],
  );
  return (
    <>
      <Filters rows={rows} shown={shown.length} />
      <DataTable
        label={t('cases.label')}
        name="cases"
        rows={shown}
        all={rows}
        columns={heads}
        rowKey={(row) => row.case_id}
        rowHref={(row) => to.case(run, row.case_id)}
        sort={readSort(query)}
        wrapped={WRAPPED}
        empty={t(rows.length === 0 ? 'cases.no_verdict' : 'cases.no_match')}
      />
    </>
  );
}
