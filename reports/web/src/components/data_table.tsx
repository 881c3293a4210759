import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { hasValue, nextSort, type Sort } from '../lib/cases';
import { plainValue } from '../lib/csv';
import { useKeys } from '../lib/keys';
import { navigate, usePlace, withQuery } from '../lib/router';
import { rowAt, rowOffsets, wrappedLines } from '../lib/wrap';
import { Exported } from './exported';

export interface Column<Row> {
  key: string; // the row's field that the column sorts by
  head: string;
  says?: string; // what the column means
  width: string; // CSS width; '' takes the remaining space
  numeric?: boolean;
  wide?: boolean; // left out on narrow screens
  cell: (row: Row) => ComponentChildren;
}

// A text of a row that is never cut: its row grows by the lines that it needs. It has a fixed-width
// font.
export interface Wrapped<Row> {
  text: (row: Row) => string;
  column: string; // the key of its column
  narrow: string; // the same on narrow screens; texts of one column are stacked
}

interface Props<Row> {
  label: string;
  name: string; // of its CSV file
  rows: Row[]; // filtered and sorted
  all?: Row[]; // before the filters: columns without a value in any of them are left out
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  rowHref: (row: Row) => string;
  sort: Sort | null;
  empty: string;
  wrapped?: Wrapped<Row>[];
}

const OVERSCAN = 10;
// As in tables.css: the line of a wrapped text, and the padding of its cell.
const LINE = 17;
const SIDES = 16;
const ABOVE_AND_BELOW = 11;
// Each table's scroll position by address, for going back; kept while the page lives.
const positions = new Map<string, { active: number; top: number }>();

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia('(max-width: 720px)').matches);
  useEffect(() => {
    const query = matchMedia('(max-width: 720px)');
    const onChange = () => setNarrow(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return narrow;
}

// The width of a character in the font of wrapped texts.
function characterWidth(inside: Element): number {
  const probe = document.createElement('span');
  probe.className = 'wrapped';
  probe.textContent = '0'.repeat(100);
  probe.style.cssText = 'position: absolute; visibility: hidden; white-space: nowrap';
  inside.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return width;
}

const NONE: never[] = [];

// Where each row starts. With wrapped texts, this depends on the width of their columns.
function useOffsets<Row>(box: RefObject<HTMLDivElement>, rows: Row[], wrapped: Wrapped<Row>[] = NONE) {
  const narrow = useNarrow();
  const [columns, setColumns] = useState<Record<string, number>>({});
  const keys = useMemo(
    () => [...new Set(wrapped.map((text) => (narrow ? text.narrow : text.column)))],
    [wrapped, narrow],
  );
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || keys.length === 0) return undefined;
    const measure = () => {
      const character = characterWidth(element);
      const width = (key: string) => element.querySelector(`th[data-key="${key}"]`)?.clientWidth ?? 0;
      setColumns(Object.fromEntries(keys.map((key) => [key, Math.floor((width(key) - SIDES) / character)])));
    };
    measure();
    const size = new ResizeObserver(measure);
    size.observe(element);
    return () => size.disconnect();
  }, [keys]);
  return useMemo(() => {
    const least = narrow ? 48 : 28;
    const heightOf = (row: Row) => {
      const lines = new Map<string, number>();
      for (const { text, column, narrow: below } of wrapped) {
        const key = narrow ? below : column;
        if (text(row) === '') continue;
        lines.set(key, (lines.get(key) ?? 0) + wrappedLines(text(row), columns[key] ?? 0));
      }
      return Math.max(least, ABOVE_AND_BELOW + LINE * Math.max(...lines.values(), 1));
    };
    return rowOffsets(rows.map(heightOf));
  }, [rows, wrapped, narrow, columns]);
}

// Scroll position and active row of a table, and the keys that move them.
function useCursor(box: RefObject<HTMLDivElement>, offsets: number[], open: (index: number) => void) {
  const n = offsets.length - 1;
  const spot = location.pathname + location.search;
  const [active, setActive] = useState(() => positions.get(spot)?.active ?? -1);
  const [view, setView] = useState({ top: 0, height: 600 });

  // Runs before the new rows are shown: a key pressed right after must move from the new place, not
  // be undone by it.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const old = positions.get(spot);
    setActive(old?.active ?? -1);
    element.scrollTop = old?.top ?? 0;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const size = new ResizeObserver(measure);
    size.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      size.disconnect();
    };
  }, [spot]);

  const keep = (index: number) => positions.set(spot, { active: index, top: box.current?.scrollTop ?? 0 });
  const move = (to: number) => {
    const element = box.current;
    if (n === 0 || !element) return;
    const index = Math.max(0, Math.min(n - 1, to));
    const head = element.querySelector('thead')?.clientHeight ?? 0;
    const [above, below] = [offsets[index] ?? 0, (offsets[index + 1] ?? 0) + head];
    if (above < element.scrollTop) element.scrollTop = above;
    else if (below > element.scrollTop + element.clientHeight)
      element.scrollTop = below - element.clientHeight;
    setActive(index);
    keep(index);
    element.focus({ preventScroll: true });
  };
  const fits = rowAt(offsets, (offsets[Math.max(0, active)] ?? 0) + view.height) - Math.max(0, active);
  const page = Math.max(1, fits - 2);
  useKeys({ j: () => move(active + 1), k: () => move(active - 1) });
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: n - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' && event.target === box.current && active >= 0) open(active);
    else return;
    event.preventDefault();
  };
  return { active: Math.min(active, n - 1), view, keep, onKeyDown };
}

function Heads<Row>({ columns, sort }: { columns: Column<Row>[]; sort: Sort | null }) {
  const place = usePlace();
  return (
    <tr role="row" aria-rowindex={1}>
      {columns.map(({ key, head, says, numeric, wide }) => {
        const now = sort?.key === key ? (sort.down ? 'descending' : 'ascending') : 'none';
        const next = nextSort(sort, key, numeric ?? false);
        return (
          <th
            key={key}
            role="columnheader"
            scope="col"
            aria-sort={now}
            data-key={key}
            class={`${numeric ? 'num' : ''} ${wide ? 'wide' : ''}`}
          >
            <button
              type="button"
              class={says ? 'sort explained' : 'sort'}
              data-tip={says}
              onClick={() => navigate(withQuery(place, { sort: next }))}
            >
              {head}
              <span aria-hidden="true">{now === 'none' ? '' : now === 'descending' ? ' ↓' : ' ↑'}</span>
            </button>
          </th>
        );
      })}
    </tr>
  );
}

function Widths<Row>({ columns }: { columns: Column<Row>[] }) {
  return (
    <colgroup>
      {columns.map(({ key, width, wide }) => (
        <col key={key} class={wide ? 'wide' : ''} style={width ? { width } : {}} />
      ))}
    </colgroup>
  );
}

// All rows as texts, with the heads of the columns: the fields that the columns sort by.
const tableOf = <Row,>(columns: Column<Row>[], rows: Row[]): string[][] => [
  columns.map(({ head }) => head),
  ...rows.map((row) => columns.map(({ key }) => plainValue((row as Record<string, unknown>)[key]))),
];

// A table of any length: only the rows in view are in the document. One per page, because it
// handles j and k.
export function DataTable<Row>({
  label,
  name,
  rows,
  all,
  columns: every,
  rowKey,
  rowHref,
  sort,
  empty,
  wrapped,
}: Props<Row>) {
  const columns = useMemo(() => every.filter(({ key }) => hasValue(all ?? [], key)), [every, all]);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const offsets = useOffsets(box, rows, wrapped);
  const hrefAt = (index: number) => {
    const row = rows[index];
    return row === undefined ? null : rowHref(row);
  };
  const open = (index: number) => {
    const href = hrefAt(index);
    if (href === null) return;
    keep(index);
    navigate(href);
  };
  const { active, view, keep, onKeyDown } = useCursor(box, offsets, open);
  const first = Math.max(0, rowAt(offsets, view.top) - OVERSCAN);
  const last = Math.min(rows.length, rowAt(offsets, view.top + view.height) + 1 + OVERSCAN);
  const [above, end] = [offsets[first] ?? 0, offsets[rows.length] ?? 0];
  const shown = useMemo(() => rows.slice(first, last), [rows, first, last]);
  const onRowClick = (event: MouseEvent, index: number) => {
    if ((event.target as HTMLElement).closest('a')) keep(index);
    else if (getSelection()?.isCollapsed !== false) open(index);
  };
  return (
    <Exported name={name} rows={() => tableOf(columns, rows)}>
      <div
        class="data-table"
        ref={box}
        tabIndex={0}
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={active >= first && active < last ? `${id}-${active}` : undefined}
        onKeyDown={onKeyDown}
        style={{ '--rows-height': `${Math.max(end, 84)}px` }}
      >
        <table role="presentation">
          <Widths columns={columns} />
          <thead>
            <Heads columns={columns} sort={sort} />
          </thead>
          <tbody>
            <tr class="spacer" style={{ height: `${above}px` }} aria-hidden="true" />
            {shown.map((row, i) => (
              <tr
                key={rowKey(row)}
                id={`${id}-${first + i}`}
                role="row"
                aria-rowindex={first + i + 2}
                aria-selected={first + i === active}
                style={{ height: `${(offsets[first + i + 1] ?? 0) - (offsets[first + i] ?? 0)}px` }}
                onClick={(event) => onRowClick(event, first + i)}
              >
                {columns.map(({ key, numeric, wide, cell }) => (
                  <td key={key} role="gridcell" class={`${numeric ? 'num' : ''} ${wide ? 'wide' : ''}`}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
            <tr class="spacer" style={{ height: `${end - (offsets[last] ?? 0)}px` }} aria-hidden="true" />
          </tbody>
        </table>
        {rows.length === 0 && <p class="empty">{empty}</p>}
      </div>
    </Exported>
  );
}
