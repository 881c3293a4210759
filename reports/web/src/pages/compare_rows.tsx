import { useMemo } from 'preact/hooks';
import type { Compare, CompareRow, CompareSide } from '../api/messages';
import { DataTable, type Column } from '../components/data_table';
import { FilterSelect } from '../components/filter_select';
import { Link } from '../components/link';
import { OutcomeMark } from '../components/outcome_mark';
import { SearchField } from '../components/search_field';
import { ToggleChips } from '../components/toggle_chips';
import { countBy, readSort, sortRows } from '../lib/cases';
import { COMPARE_KINDS, filterCompare, KINDS, type ChangeKind } from '../lib/compare';
import { figure, micros, shortFigure } from '../lib/format';
import { t } from '../lib/i18n';
import { to, usePlace } from '../lib/router';

function KindMark({ kind }: { kind: ChangeKind }) {
  const { sign, tone } = KINDS[kind] ?? { sign: '?', tone: 'none' };
  const known = kind in KINDS;
  return (
    <span class={`mark tone-${tone}`} title={known ? t(`kind_says.${kind}`) : ''}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="word">{known ? t(`kind.${kind}`) : kind}</span>
    </span>
  );
}

const range = (side: CompareSide) =>
  t('compare.range', { low: micros(side.call_low_us), high: micros(side.call_high_us) });
const byTime = (row: CompareRow) => row.kind === 'slower' || row.kind === 'faster';

// One side: the outcome, and the figure that the kind of change concerns.
function Side({ row, side, run }: { row: CompareRow; side: CompareSide | null; run: string }) {
  if (!side) return <span class="muted">{t('compare.not_in_run')}</span>;
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
      head: t('compare.difference'),
      says: t('term.kind'),
      width: 'var(--kind-width)',
      cell: (r) => <KindMark kind={r.kind as ChangeKind} />,
    },
    {
      key: 'case_id',
      head: t('column.case'),
      width: '',
      cell: (r) => (
        <>
          <span class="mono cut" title={r.case_id}>
            {r.case_id}
          </span>
          <span class="under muted cut">
            {r.a?.outcome ?? t('compare.absent')} → {r.b?.outcome ?? t('compare.absent')}
          </span>
        </>
      ),
    },
    { key: 'a', head: 'A', width: '21%', wide: true, cell: (r) => <Side row={r} side={r.a} run={a} /> },
    { key: 'b', head: 'B', width: '21%', wide: true, cell: (r) => <Side row={r} side={r.b} run={b} /> },
    {
      key: 'factor',
      head: 'B / A',
      says: t('term.factor'),
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
        <SearchField label={t('column.case')} />
        <FilterSelect
          label={t('compare.operator')}
          name="operator"
          options={operators.map(([value, n]) => ({
            value,
            text: t('filter.counted', { value: value || t('common.library'), n }),
          }))}
        />
        <ToggleChips label={t('compare.kinds')} name="kind" chips={chips} />
        <span class="spring" />
        <span class="muted small" role="status">
          {t('compare.count', { n: shown.length, same: data.counts.same ?? 0 })}
        </span>
      </div>
      <DataTable
        label={t('compare.label')}
        name="differences"
        rows={shown}
        columns={heads}
        rowKey={(row) => `${row.case_id} ${row.kind}`}
        rowHref={(row) => to.case(row.b ? data.b.run_id : data.a.run_id, row.case_id)}
        sort={sort}
        empty={t(data.rows.length === 0 ? 'compare.nothing' : 'compare.no_match')}
      />
    </>
  );
}
