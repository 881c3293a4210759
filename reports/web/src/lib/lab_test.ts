import { expect, test } from 'vitest';
import type { LabPage } from '../api/messages';
import { filterOperators, operatorKind } from './lab';

const counts = (cases: number, passed: number, failed: number) => ({ cases, passed, failed });

test('a failure counts more than what is missing', () => {
  expect(operatorKind(counts(4, 4, 0))).toBe('passing');
  expect(operatorKind(counts(4, 2, 1))).toBe('failing');
  expect(operatorKind(counts(4, 2, 0))).toBe('partly');
  expect(operatorKind(counts(4, 0, 0))).toBe('absent');
  expect(operatorKind(null)).toBe('absent');
});

test('operators by name, and by what some chip says of them', () => {
  const page: LabPage = {
    chips: [],
    operators: [
      { operator: 'add', cells: [counts(1, 1, 0), counts(1, 0, 1)] },
      { operator: 'softmax', cells: [counts(1, 1, 0), null] },
    ],
    failures: [],
  };
  const names = (text: string, show: string) => filterOperators(page, text, show).map((row) => row.operator);
  expect(names('', '')).toEqual(['add', 'softmax']);
  expect(names('Soft', '')).toEqual(['softmax']);
  expect(names('', 'failing')).toEqual(['add']);
  expect(names('', 'absent')).toEqual(['softmax']);
});
