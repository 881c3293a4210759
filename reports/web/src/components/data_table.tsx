import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { nextSort, type Sort } from '../lib/cases';
import { useKeys } from '../lib/keys';
import { navigate, usePlace, withQuery } from '../lib/router';

export interface Column<Row> {
  key: string; // of the row's field that it sorts by
  head: string;
  title?: string;
  width: string; // of CSS; '' takes what is left
  numeric?: boolean;
  wide?: boolean; // left out on narrow screens
  cell: (row: Row) => ComponentChildren;
}

interface Props<Row> {
  label: string;
  rows: Row[]; // filtered and sorted
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  rowHref: (row: Row) => string;
  sort: Sort | null;
  empty: string;
}

const OVERSCAN = 10;
// Where each table stood, by address, for the way back; as long as the page lives.
const positions = new Map<string, { active: number; top: number }>();

function useRowHeight(): number {
  const [narrow, setNarrow] = useState(() => matchMedia('(max-width: 720px)').matches);
  useEffect(() => {
    const query = matchMedia('(max-width: 720px)');
    const onChange = () => setNarrow(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return narrow ? 48 : 28;
}

// Scroll position and active row of a table of `n` rows, and the keys that move them.
function useCursor(n: number, rowHeight: number, open: (index: number) => void) {
  const box = useRef<HTMLDivElement>(null);
  const spot = location.pathname + location.search;
  const [active, setActive] = useState(() => positions.get(spot)?.active ?? -1);
  const [view, setView] = useState({ top: 0, height: 600 });

  // Before the new rows are seen: a key pressed right after must move from the new place, not be undone by it.
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
    const [above, below] = [index * rowHeight, (index + 1) * rowHeight + head];
    if (above < element.scrollTop) element.scrollTop = above;
    else if (below > element.scrollTop + element.clientHeight)
      element.scrollTop = below - element.clientHeight;
    setActive(index);
    keep(index);
    element.focus({ preventScroll: true });
  };
  const page = Math.max(1, Math.floor(view.height / rowHeight) - 2);
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
  return { box, active: Math.min(active, n - 1), view, keep, onKeyDown };
}

function Heads<Row>({ columns, sort }: { columns: Column<Row>[]; sort: Sort | null }) {
  const place = usePlace();
  return (
    <tr role="row" aria-rowindex={1}>
      {columns.map(({ key, head, title, numeric, wide }) => {
        const now = sort?.key === key ? (sort.down ? 'descending' : 'ascending') : 'none';
        const next = nextSort(sort, key, numeric ?? false);
        return (
          <th
            key={key}
            role="columnheader"
            scope="col"
            aria-sort={now}
            title={title}
            class={`${numeric ? 'num' : ''} ${wide ? 'wide' : ''}`}
          >
            <button type="button" class="sort" onClick={() => navigate(withQuery(place, { sort: next }))}>
              {head}
              <span aria-hidden="true">{now === 'none' ? '' : now === 'descending' ? ' ↓' : ' ↑'}</span>
            </button>
          </th>
        );
      })}
    </tr>
  );
}

// A table of any length: only the rows in view are in the document. One a page: it answers to j and k.
export function DataTable<Row>({ label, rows, columns, rowKey, rowHref, sort, empty }: Props<Row>) {
  const id = useId();
  const rowHeight = useRowHeight();
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
  const { box, active, view, keep, onKeyDown } = useCursor(rows.length, rowHeight, open);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN);
  const shown = useMemo(() => rows.slice(first, last), [rows, first, last]);
  const onRowClick = (event: MouseEvent, index: number) => {
    if ((event.target as HTMLElement).closest('a')) keep(index);
    else if (getSelection()?.isCollapsed !== false) open(index);
  };
  return (
    <div
      class="data-table"
      ref={box}
      tabIndex={0}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={active >= first && active < last ? `${id}-${active}` : undefined}
      onKeyDown={onKeyDown}
      style={{ '--row-height': `${rowHeight}px`, '--rows': Math.max(rows.length, 3) }}
    >
      <table role="presentation">
        <colgroup>
          {columns.map(({ key, width, wide }) => (
            <col key={key} class={wide ? 'wide' : ''} style={width ? { width } : {}} />
          ))}
        </colgroup>
        <thead>
          <Heads columns={columns} sort={sort} />
        </thead>
        <tbody>
          <tr class="spacer" style={{ height: `${first * rowHeight}px` }} aria-hidden="true" />
          {shown.map((row, i) => (
            <tr
              key={rowKey(row)}
              id={`${id}-${first + i}`}
              role="row"
              aria-rowindex={first + i + 2}
              aria-selected={first + i === active}
              onClick={(event) => onRowClick(event, first + i)}
            >
              {columns.map(({ key, numeric, wide, cell }) => (
                <td key={key} role="gridcell" class={`${numeric ? 'num' : ''} ${wide ? 'wide' : ''}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <tr class="spacer" style={{ height: `${(rows.length - last) * rowHeight}px` }} aria-hidden="true" />
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">{empty}</p>}
    </div>
  );
}
