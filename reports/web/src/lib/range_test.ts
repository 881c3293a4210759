import { expect, test } from 'vitest';
import { inRange, rangeQuery } from './range';

const query = (text: string) => new URLSearchParams(text);
const local = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString();

test('both days belong to the range, in the reader’s time zone', () => {
  const range = query(rangeQuery(query('from=2026-11-20&to=2026-11-30')));
  expect(range.get('from')).toBe(local(2026, 11, 20));
  expect(range.get('to')).toBe(local(2026, 12, 1));
});

test('a bound that is missing or no day is none', () => {
  expect(rangeQuery(query('from=&to=soon'))).toBe('');
  expect(inRange('/lab', query('q=add'))).toBe('/lab');
  expect(inRange('/runs?limit=12', query('to=2026-11-30'))).toBe(
    `/runs?limit=12&to=${encodeURIComponent(local(2026, 12, 1))}`,
  );
});
