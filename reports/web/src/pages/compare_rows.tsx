import { useMemo } from 'preact/hooks';
import type { Compare, CompareRow, CompareSide, FailureGroup, Failures } from '../api/messages';
import { useApi } from '../api/use_api';
import { DataTable, type Column } from '../components/data_table';
import { FilterSelect } from '../components/filter_select';
import { Link } from '../components/link';
import { OutcomeMark } from '../components/outcome_mark';
import { PlainTable } from '../components/plain_table';
import { SearchField } from '../components/search_field';
import { ToggleChips } from '../components/toggle_chips';
import { countBy, readSort, sortRows } from '../lib/cases';
import { ALL, COMPARE_KINDS, filterCompare, KINDS, type ChangeKind } from '../lib/compare';
import { textOr } from '../lib/findings';
import { count, figure, micros, shortFigure } from '../lib/format';
import { t } from '../lib/i18n';
import { to, usePlace, withQuery } from '../lib/router';
import { Names } from './run_groups';

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

const has = (data: Compare, kind: ChangeKind) => (data.counts[kind] ?? 0) > 0;
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

// What newly fails in B, by cause.
function NewGroups({ groups, rows }: { groups: FailureGroup[]; rows: CompareRow[] }) {
  const place = usePlace();
  const lost = new Set(rows.filter(({ kind }) => kind === 'newly_failing').map(({ case_id }) => case_id));
  const lines = groups
    .map((group) => ({ group, n: group.case_ids.filter((id) => lost.has(id)).length }))
    .filter(({ n }) => n > 0);
  if (lines.length === 0) return null;
  return (
    <>
      <h2>{t('compare.groups', { n: lost.size, groups: lines.length })}</h2>
      <PlainTable
        name="newly_failing"
        label={t('kind.newly_failing')}
        rows={lines}
        rowKey={({ group }) => group.key}
        columns={[
          {
            head: t('column.cases'),
            num: true,
            cell: ({ group, n }) => (
              <Link href={withQuery(place, { kind: null, group: group.key })}>{count(n)}</Link>
            ),
          },
          { head: t('column.outcome'), cell: ({ group }) => <OutcomeMark outcome={group.outcome} /> },
          {
            head: t('column.operators'),
            cell: ({ group }) => <Names names={group.operators} otherwise={t('common.library')} />,
          },
          { head: t('groups.cause'), cell: ({ group }) => textOr(group.finding, group.cause) },
        ]}
      />
    </>
  );
}

export function CompareRows({ data }: { data: Compare }) {
  const place = usePlace();
  const { query } = place;
  const failures = useApi<Failures>(`/runs/${encodeURIComponent(data.b.run_id)}/failures`);
  const groups = failures.data?.groups ?? [];
  const group = groups.find((one) => one.key === query.get('group'));
  // What was lost, unless the reader asks for other kinds.
  const lost = ['newly_failing', 'newly_refused'].filter((kind) => has(data, kind as ChangeKind)).join(',');
  const key = query.toString();
  const sort = readSort(query);
  const shown = useMemo(() => {
    const kinds = new Set((query.get('kind') ?? lost).split(',').filter(Boolean));
    const among = query.get('group') ? new Set(group?.case_ids) : null;
    const rows = among ? data.rows.filter((row) => among.has(row.case_id)) : data.rows;
    return sortRows(filterCompare(rows, kinds, query.get('operator') ?? '', query.get('q') ?? ''), sort);
  }, [data, key, group, lost]);
  const heads = useMemo(() => columns(data.a.run_id, data.b.run_id), [data]);
  const operators = useMemo(() => [...countBy(data.rows, (row) => row.operator)].sort(), [data]);
  const chips = COMPARE_KINDS.filter((kind) => has(data, kind)).map((kind) => ({
    value: kind as string,
    content: <KindMark kind={kind} />,
    n: data.counts[kind] ?? 0,
  }));
  const every = { value: ALL, content: <>{t('common.all')}</>, n: data.rows.length };
  return (
    <>
      <NewGroups groups={groups} rows={data.rows} />
      {query.get('group') && (
        <p class="notice">
          {t('run.group', { cause: group ? textOr(group.finding, group.cause) : '…' })}{' '}
          <Link href={withQuery(place, { group: null })}>{t('run.all_cases')}</Link>
        </p>
      )}
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
        <ToggleChips
          label={t('compare.kinds')}
          name="kind"
          chips={lost === '' ? chips : [every, ...chips]}
          otherwise={lost}
        />
        <span class="spring" />
        <span class="muted small" role="status">
          {t('compare.count', { n: shown.length, same: data.counts.same ?? 0 })}
        </span>
      </div>
      <DataTable
        label={t('compare.label')}
        name="differences"
        rows={shown}
        all={data.rows}
        columns={heads}
        rowKey={(row) => `${row.case_id} ${row.kind}`}
        rowHref={(row) => to.case(row.b ? data.b.run_id : data.a.run_id, row.case_id)}
        sort={sort}
        empty={t(data.rows.length === 0 ? 'compare.nothing' : 'compare.no_match')}
      />
    </>
  );
}
