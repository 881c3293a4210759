import { describe, expect, test } from 'vitest';
import {
  ago,
  coordinates,
  count,
  exact,
  figure,
  micros,
  percent,
  seconds,
  share,
  shortFigure,
} from './format';

test('what was not measured is never a number', () => {
  for (const text of [
    count(null),
    count(undefined),
    percent(0, 0),
    share(null),
    figure(null),
    micros(null),
  ]) {
    expect(text).toBe('not measured');
  }
  expect(shortFigure(null)).toBe('–');
  expect(exact(null)).toBe('NaN');
  expect(seconds(null)).toBe('unknown');
});

describe('shares are rounded down, and never to nothing', () => {
  test.each([
    [99_999, 100_000, '99.99%'],
    [1, 1, '100.00%'],
    [0, 5, '0.00%'],
    [1, 100_000, '<0.01%'],
    [1, 3, '33.33%'],
    [29, 100, '29.00%'],
  ])('%i of %i', (part, whole, text) => {
    expect(percent(part, whole)).toBe(text);
  });
});

test.each([
  [0, '0'],
  ['Infinity', '∞'],
  ['-Infinity', '−∞'],
  [0.12345, '0.123'],
  [12.3456, '12.3'],
  [1234.5, '1235'],
  [12345, '12,345'],
  [1e-4, '1.00e-4'],
  [2.5e7, '2.50e7'],
] as const)('figure %s', (value, text) => {
  expect(figure(value)).toBe(text);
});

test('times', () => {
  expect([micros(12.34), micros(12_340), micros(2.5e6)]).toEqual(['12.3 µs', '12.3 ms', '2.5 s']);
  expect([seconds(3.2), seconds(61), seconds(7300)]).toEqual(['4 s', '1 min 1 s', '2 h 1 min']);
  const at = '2026-01-01T00:00:00Z';
  const from = Date.parse(at);
  expect([30, 300, 7200, 500_000].map((s) => ago(at, from + s * 1000))).toEqual([
    'just now',
    '5 minutes ago',
    '2 hours ago',
    '5 days ago',
  ]);
  expect(ago('nonsense')).toBe('');
});

test('where an element lies', () => {
  expect(coordinates(4, [2, 3])).toEqual([1, 1]);
  expect(coordinates(23, [2, 3, 4])).toEqual([1, 2, 3]);
  expect(coordinates(0, [])).toEqual([]);
});
