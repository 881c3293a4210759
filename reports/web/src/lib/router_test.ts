import { expect, test } from 'vitest';
import { asksForCases } from './cases';
import { href, parsePath, to } from './router';

test.each([
  ['/', { page: 'overview' }],
  ['/runs', { page: 'runs' }],
  ['/runs/', { page: 'runs' }],
  ['/compare', { page: 'compare' }],
  ['/coverage', { page: 'coverage' }],
  ['/models', { page: 'models' }],
  ['/captures', { page: 'captures' }],
  ['/captures/run%201', { page: 'capture', capture: 'run 1' }],
  ['/chips/A%20100%2F2', { page: 'chip', chip: 'A 100/2' }],
  ['/runs/r-1', { page: 'run', run: 'r-1' }],
  ['/runs/r-1/cases/add.float32.x', { page: 'case', run: 'r-1', caseId: 'add.float32.x' }],
  ['/runs/r-1/cases', { page: 'unknown' }],
  ['/runs/r-1/tests/x', { page: 'unknown' }],
  ['/chips', { page: 'unknown' }],
  ['/%zz', { page: 'unknown' }],
])('%s', (path, route) => {
  expect(parsePath(path)).toEqual(route);
});

test('every address that the page makes is one that it reads', () => {
  const odd = 'a/b c?d#e%';
  expect(parsePath(to.chip(odd))).toEqual({ page: 'chip', chip: odd });
  expect(parsePath(to.run(odd))).toEqual({ page: 'run', run: odd });
  expect(parsePath(to.case(odd, odd))).toEqual({ page: 'case', run: odd, caseId: odd });
});

test('a run opens on its failures; with a filter on its cases', () => {
  expect(to.run('r')).toBe('/runs/r');
  expect(to.run('r', {})).toBe('/runs/r?view=cases');
  expect(to.run('r', { operator: 'add' })).toBe('/runs/r?operator=add&view=cases');
  const asks = (query: string) => asksForCases(new URLSearchParams(query));
  expect(['', 'a=1'].some(asks)).toBe(false);
  expect(['view=cases', 'q=add', 'outcome=failed', 'group=1'].every(asks)).toBe(true);
});

test('commas of a filter stay readable', () => {
  expect(href('/runs/r', new URLSearchParams({ outcome: 'fail,crash', q: 'a&b' }))).toBe(
    '/runs/r?outcome=fail,crash&q=a%26b',
  );
});
