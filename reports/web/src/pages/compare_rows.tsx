import { useMemo } from 'preact/hooks';
import { COMPARE_KINDS, type Compare, type CompareRow, type CompareSide } from '../api/compare_types';
import { DataTable, type Column } from '../components/data_table';
import { FilterSelect } from '../components/filter_select';
import { Link } from '../components/link';
import { OutcomeMark } from '../components/outcome_mark';
import { SearchField } from '../components/search_field';
import { ToggleChips } from '../components/toggle_chips';
import { countBy, readSort, sortRows } from '../lib/cases';
import { filterCompare, KINDS } from '../lib/compare';
import { count, figure, micros, shortFigure } from '../lib/format';
import { to, usePlace } from '../lib/router';
import { TERMS } from '../lib/terms';

function KindMark({ kind }: { kind: CompareRow['kind'] }) {
  const { label, sign, tone, says } = KINDS[kind] ?? { label: kind, sign: '?', tone: 'none', says: '' };
  return (
    <span class={`mark tone-${tone}`} title={says}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="word">{label}</span>
    </span>
  );
}

const range = (side: CompareSide) => `${micros(side.call_low_us)} to ${micros(side.call_high_us)}`;
const byTime = (row: CompareRow) => row.kind === 'slower' || row.kind === 'faster';

// One side: the outcome, and the figure that the kind of change concerns.
function Side({ row, side, run }: { row: CompareRow; side: CompareSide | null; run: string }) {
  if (!side) return <span class="muted">not in this run</span>;
  return (
    <Link href={to.case(run, row.case_id)} class="compare-cell">
      <OutcomeMark outcome={side.outcome} short={false} />
      <span class="muted">{byTime(row) ? range(side) : `z ${shortFigure(side.max_z)}`}</span>
    </Link>
  );
}

function columns(a: string, b: string): Column<CompareRow>[] {
  return [
    {
      key: 'kind',
      head: 'Difference',
      says: TERMS.kind,
      width: 'var(--kind-width)',
      cell: (r) => <KindMark kind={r.kind} />,
    },
    {
      key: 'case_id',
      head: 'Case',
      width: '',
      cell: (r) => (
        <>
          <span class="mono cut" title={r.case_id}>
            {r.case_id}
          </span>
          <span class="under muted cut">
            {r.a?.outcome ?? 'absent'} → {r.b?.outcome ?? 'absent'}
          </span>
        </>
      ),
    },
    { key: 'a', head: 'A', width: '21%', wide: true, cell: (r) => <Side row={r} side={r.a} run={a} /> },
    { key: 'b', head: 'B', width: '21%', wide: true, cell: (r) => <Side row={r} side={r.b} run={b} /> },
    {
      key: 'factor',
      head: 'B / A',
      says: TERMS.factor,
      width: '76px',
      numeric: true,
      cell: (r) => (r.factor === null ? '–' : `×${figure(r.factor)}`),
    },
  ];
}

export function CompareRows({ data }: { data: Compare }) {
  const { query } = usePlace();
  const key = query.toString();
  const sort = readSort(query);
  const shown = useMemo(() => {
    const kinds = new Set((query.get('kind') ?? '').split(',').filter(Boolean));
    return sortRows(filterCompare(data.rows, kinds, query.get('operator') ?? '', query.get('q') ?? ''), sort);
  }, [data, key]);
  const heads = useMemo(() => columns(data.a.run_id, data.b.run_id), [data]);
  const operators = useMemo(() => [...countBy(data.rows, (row) => row.operator)].sort(), [data]);
  const chips = COMPARE_KINDS.filter((kind) => (data.counts[kind] ?? 0) > 0).map((kind) => ({
    value: kind,
    content: <KindMark kind={kind} />,
    n: data.counts[kind] ?? 0,
  }));
  return (
    <>
      <div class="filters">
        <SearchField label="Case" />
        <FilterSelect
          label="operator"
          name="operator"
          options={operators.map(([value, n]) => ({ value, text: `${value || 'library'} (${n})` }))}
        />
        <ToggleChips label="Kinds of difference" name="kind" chips={chips} />
        <span class="spring" />
        <span class="muted small" role="status">
          {count(shown.length)} differences, {count(data.counts.same ?? 0)} cases the same
        </span>
      </div>
      <DataTable
        label="Differences"
        rows={shown}
        columns={heads}
        rowKey={(row) => `${row.case_id} ${row.kind}`}
        rowHref={(row) => to.case(row.b ? data.b.run_id : data.a.run_id, row.case_id)}
        sort={sort}
        empty={data.rows.length === 0 ? 'Nothing differs.' : 'No difference matches these filters.'}
      />
    </>
  );
}
