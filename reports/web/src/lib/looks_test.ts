import { expect, test } from 'vitest';
import type { CoveragePage } from '../api/messages';
import { cellKind, filterFunctions, totals } from './coverage';
import { missingText, modelKind, scaledText } from './models';
import { heatLook, heatRows } from './heat';
import { BINS, binLabel, binRange, shownBins } from './histogram';
import { failures, isFailure, OUTCOME_ORDER } from './outcomes';

test('the histogram’s bins are those of baselines/compare/tally.cc', () => {
  expect([0, 1, 2, 3, 4, 5, 13, 23].map(binLabel)).toEqual([
    '0',
    '<1/4',
    '1/4',
    '1/2',
    '1',
    '2',
    '512',
    '≥2^19',
  ]);
  expect(binRange(4)).toBe('1 to 2 ulps');
  expect(shownBins(Array(BINS).fill(0))).toBe(7);
  const tail = Array<number>(BINS).fill(0);
  tail[23] = 1;
  expect(shownBins(tail)).toBe(24);
});

test('a heat map’s cell: fails before passes, nothing called is not green', () => {
  expect(heatLook(10, 10, 0, 0)).toMatchObject({ kind: 'good', text: '✓' });
  expect(heatLook(10, 9, 0, 1)).toMatchObject({ kind: 'good', level: 1 });
  expect(heatLook(10, 9, 1, 0)).toMatchObject({ kind: 'bad', level: 1, text: '1' });
  expect(heatLook(10, 0, 10, 0)).toMatchObject({ kind: 'bad', level: 4, text: '10' });
  expect(heatLook(10, 0, 0, 10)).toMatchObject({ kind: 'none' });
  const rows = heatRows({
    run_id: 'r',
    operators: ['a', 'b'],
    dtypes: ['int8', 'int16'],
    cells: [[1, 0, 2, 2, 0, 0]],
  });
  expect(rows[0]?.cells).toEqual([null, null]);
  expect(rows[1]?.cells[0]?.passed).toBe(2);
});

test('six outcomes are failures, as in cases/base/outcome.h', () => {
  expect(OUTCOME_ORDER.filter(isFailure)).toEqual([
    'fail',
    'error',
    'crash',
    'timeout',
    'memory',
    'nondeterministic',
  ]);
  expect(failures({ pass: 5, fail: 2, crash: 1, waived: 7, harness_error: 9 })).toBe(3);
});

test('models: what stands between a chip and a model', () => {
  const cell = {
    run_id: 'r',
    ready: false,
    passes_scaled: true,
    max_tensor_bytes: 16384,
    calls: 5,
    passing: 5,
    failing: 0,
    not_implemented: 0,
    not_judged: 0,
    scaled: 2,
    failing_functions: [],
    missing_functions: [],
  };
  expect(missingText(cell)).toBe('');
  expect(modelKind(cell)).toBe('passes_scaled');
  expect(modelKind({ ...cell, passes_scaled: false, ready: true })).toBe('ready');
  expect(scaledText(cell)).toBe('2 of 5 calls scaled to 16 KiB a tensor');
  expect(missingText({ ...cell, failing_functions: ['a'] })).toBe('1 function failing');
  expect(missingText({ ...cell, failing_functions: ['a', 'b'], missing_functions: ['c', 'd', 'e'] })).toBe(
    '3 functions missing, 2 failing',
  );
  expect(missingText({ ...cell, not_judged: 1 })).toBe('1 call not judged');
});

test('coverage: not tested is not passing', () => {
  const cell = { implemented: true, tested: true, cases: 4, passed: 4, run_id: 'r', created: null };
  expect(cellKind(null)).toBe('absent');
  expect(cellKind(cell)).toBe('passing');
  expect(cellKind({ ...cell, passed: 3 })).toBe('failing');
  expect(cellKind({ ...cell, tested: false, cases: 0, passed: 0 })).toBe('untested');
  expect(cellKind({ ...cell, implemented: false, tested: false, cases: 0, passed: 0 })).toBe('absent');
  const page: CoveragePage = {
    chips: ['one', 'two'],
    abi_functions: 2,
    functions: [
      { name: 'diopiAdd', header: 'functions.h', family: 'elementwise', cells: [cell, null] },
      { name: 'diopiOdd', header: 'functions.h', family: null, cells: [null, null] },
    ],
  };
  expect(totals(page)[0]).toEqual({ passing: 1, failing: 0, untested: 0, absent: 1 });
  expect(filterFunctions(page.functions, { text: 'ODD', family: '', show: '' }).length).toBe(1);
  expect(filterFunctions(page.functions, { text: '', family: 'none', show: '' })[0]?.name).toBe('diopiOdd');
  expect(filterFunctions(page.functions, { text: '', family: '', show: 'passing' })[0]?.name).toBe(
    'diopiAdd',
  );
});
