// The cases of a run: turns the API's columns into rows, filtered and sorted as the address bar
// says.
import type { CaseRow, CasesTable, Figure } from '../api/messages';
import { reasonText } from './findings';
import { isFailure, outcomeRank } from './outcomes';

export type { CaseRow };

export function parseCases(table: CasesTable): CaseRow[] {
  return table.rows.map(
    (values) =>
      Object.fromEntries(table.columns.map((column, i) => [column, values[i]])) as unknown as CaseRow,
  );
}

export interface CaseFilter {
  outcomes: Set<string>; // empty: all
  operator: string; // '': all
  dtype: string;
  text: string; // words that the id, reason or function contain, all of them
}

const FILTERS = ['outcome', 'operator', 'dtype', 'q', 'sort', 'group'];

export const asksForPerformance = (query: URLSearchParams): boolean => query.get('view') === 'performance';

// Whether the address asks for the list of cases rather than the failures by cause.
export const asksForCases = (query: URLSearchParams): boolean =>
  !asksForPerformance(query) && (query.get('view') === 'cases' || FILTERS.some((name) => query.has(name)));

export function readFilter(query: URLSearchParams): CaseFilter {
  return {
    outcomes: new Set((query.get('outcome') ?? '').split(',').filter(Boolean)),
    operator: query.get('operator') ?? '',
    dtype: query.get('dtype') ?? '',
    text: query.get('q') ?? '',
  };
}

// `failed` stands for the six failures, as in the API.
function hasOutcome(wanted: Set<string>, outcome: string): boolean {
  return wanted.size === 0 || wanted.has(outcome) || (wanted.has('failed') && isFailure(outcome));
}

export function filterCases(rows: CaseRow[], filter: CaseFilter): CaseRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (!hasOutcome(filter.outcomes, row.outcome)) return false;
    if (filter.operator !== '' && row.operator !== filter.operator) return false;
    if (filter.dtype !== '' && row.dtype !== filter.dtype) return false;
    if (words.length === 0) return true;
    const text = `${row.case_id} ${row.function} ${row.reason} ${reasonText(row)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export interface Sort {
  key: string;
  down: boolean;
}

// "-max_z": by max_z, largest first.
export function readSort(query: URLSearchParams): Sort | null {
  const text = query.get('sort') ?? '';
  if (text === '') return null;
  return text.startsWith('-') ? { key: text.slice(1), down: true } : { key: text, down: false };
}

// A click on a column's head sorts first in its natural direction (figures: largest first), then in
// the other, then not.
export function nextSort(sort: Sort | null, key: string, numeric: boolean): string | null {
  const first = numeric ? `-${key}` : key;
  const second = numeric ? key : `-${key}`;
  if (sort?.key !== key) return first;
  return (sort.down ? `-${key}` : key) === first ? second : null;
}

type Value = Figure | string | boolean | undefined;

function rank(key: string, value: Value): number | string | null {
  if (value === null || value === undefined) return null;
  if (key === 'outcome') return outcomeRank(String(value));
  if (value === 'Infinity' || value === '-Infinity') return Number(value);
  return typeof value === 'boolean' ? Number(value) : value;
}

// Stable. Values that were not measured come last in both directions.
export function sortRows<Row extends object>(rows: Row[], sort: Sort | null): Row[] {
  if (sort === null) return rows;
  const { key, down } = sort;
  const keyed = rows.map((row) => ({ row, value: rank(key, (row as Record<string, Value>)[key]) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    const order = a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
    return down ? -order : order;
  });
  return keyed.map(({ row }) => row);
}

// Whether a column says anything of these rows; without rows nobody knows.
export const hasValue = <Row>(rows: Row[], key: string): boolean =>
  rows.length === 0 || rows.some((row) => ((row as Record<string, unknown>)[key] ?? '') !== '');

export function countBy<Row>(rows: Row[], key: (row: Row) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return counts;
}
