import { expect, test } from 'vitest';
import { rowAt, rowOffsets, wrappedLines } from './wrap';

test.each([
  ['', 10, 1],
  ['short', 10, 1],
  ['exactly 10', 10, 1],
  ['two words here', 10, 2],
  ['0123456789', 10, 1],
  ['01234567890', 10, 2],
  ['a 01234567890123456789012', 10, 4],
  ['trailing space  ', 14, 1],
  ['字字字字字字', 10, 2],
  ['字字字字字字字字字字字', 11, 3],
  ['anything', 0, 1],
])('%j in %d columns takes %d lines', (text, columns, lines) => {
  expect(wrappedLines(text, columns)).toBe(lines);
});

test('rows of different heights are found by where they are', () => {
  const offsets = rowOffsets([28, 45, 28]);
  expect(offsets).toEqual([0, 28, 73, 101]);
  expect([0, 27, 28, 72, 73, 500].map((y) => rowAt(offsets, y))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(rowAt(rowOffsets([]), 10)).toBe(0);
});
