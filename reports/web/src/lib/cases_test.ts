import { describe, expect, test } from 'vitest';
import type { CasesTable } from '../api/messages';
import { filterCases, nextSort, parseCases, readFilter, readSort, sortRows, type CaseRow } from './cases';

const COLUMNS = ['case_id', 'operator', 'function', 'dtype', 'outcome', 'reason', 'max_z'];
const rows = parseCases({
  run_id: 'r',
  state: 'finished',
  columns: COLUMNS,
  rows: [
    ['add.float32.a', 'add', 'diopiAdd', 'float32', 'pass', '', 0.5],
    ['add.float16.b', 'add', 'diopiAdd', 'float16', 'fail', 'out: 3 elements', 'Infinity'],
    ['relu.float32.c', 'relu', 'diopiRelu', 'float32', 'crash', 'SIGSEGV', null],
    ['relu.int32.d', 'relu', 'diopiRelu', 'int32', 'not_implemented', '', null],
    ['sum.float32.e', 'sum', 'diopiSum', 'float32', 'fail', 'out: lost', 70],
  ] as unknown as CasesTable['rows'],
});
const left = (query: string) =>
  filterCases(rows, readFilter(new URLSearchParams(query)))
    .map((r) => r.case_id.slice(-1))
    .join('');

describe('filters', () => {
  test.each([
    ['', 'abcde'],
    ['outcome=fail', 'be'],
    ['outcome=fail,crash', 'bce'],
    ['outcome=failed', 'bce'],
    ['operator=add', 'ab'],
    ['dtype=float32&operator=relu', 'c'],
    ['q=DIOPIRELU', 'cd'],
    ['q=out lost', 'e'],
    ['q=nothing', ''],
    ['outcome=pass&q=sum', ''],
  ])('%s leaves %s', (query, ids) => {
    expect(left(query)).toBe(ids);
  });
});

describe('sorting', () => {
  const order = (query: string) =>
    sortRows(rows, readSort(new URLSearchParams(query)))
      .map((r: CaseRow) => r.case_id.slice(-1))
      .join('');
  test.each([
    ['', 'abcde'],
    ['sort=max_z', 'aebcd'], // infinity is the largest; not measured comes last
    ['sort=-max_z', 'beacd'], // both ways
    ['sort=outcome', 'abecd'],
    ['sort=case_id', 'bacde'],
    ['sort=-operator', 'ecdab'],
    ['sort=nonsense', 'abcde'],
  ])('%s: %s', (query, ids) => {
    expect(order(query)).toBe(ids);
  });

  test('a head goes through its two directions and back to none', () => {
    expect(nextSort(null, 'max_z', true)).toBe('-max_z');
    expect(nextSort({ key: 'max_z', down: true }, 'max_z', true)).toBe('max_z');
    expect(nextSort({ key: 'max_z', down: false }, 'max_z', true)).toBeNull();
    expect(nextSort({ key: 'max_z', down: true }, 'case_id', false)).toBe('case_id');
  });
});
