import { expect, test } from 'vitest';
import type { Call, CallChange, StepTotal } from '../api/messages';
import { asksForCases, sortRows } from './cases';
import {
  callRow,
  changeOf,
  decades,
  filterCalls,
  namedOperators,
  orderChanges,
  powerOfTen,
  roofLine,
  roofPlot,
  stepLines,
  stepParts,
  type MeasuredCall,
} from './performance';

const work: Omit<Call, 'not_measured'> = {
  ...{ case: 'a', judged_case: 'a', function: 'diopiMatmul', dtype: 'float16', shapes: '(64, 64)' },
  ...{ kernel: '', read_bytes: 600, written_bytes: 400, operations: 5000, not_measured_found: null },
};
const measured: MeasuredCall = {
  ...work,
  clock: 'device',
  us: { median: 10, low: 9, high: 11 },
  ...{ cold_us: 20, first_us: 90, submit_us: 2, round_medians_us: [10, 10], disturbed: 0 },
  ...{ bytes_per_s: 1e8, operations_per_s: 5e8, roofline_share: 0.5, bound: 'memory' },
  ...{ reference_us: null, score: null },
};
const copy: MeasuredCall = { ...measured, function: 'diopiCopy', operations: 0, operations_per_s: null };
const none: Call = { ...work, function: 'diopiSort', not_measured: 'the case fails' };

test('a call without a time is a row without figures, last in every order', () => {
  const rows = [none, measured, copy].map(callRow);
  expect(rows[0]).toMatchObject({ not_measured: 'the case fails', median: null, bound: null });
  expect(rows[1]).toMatchObject({ not_measured: '', median: 10, spread: 0.2, cold_us: 20 });
  for (const down of [true, false])
    expect(sortRows(rows, { key: 'median', down }).at(-1)?.not_measured).toBe('the case fails');
  expect(callRow({ ...measured, roofline_share: null }).bound).toBeNull();
});

test('the filter looks at functions, shapes and reasons', () => {
  const rows = [none, measured, copy].map(callRow);
  const names = (filter: object) =>
    filterCalls(rows, { dtype: '', measured: '', text: '', ...filter }).map((row) => row.function);
  expect(names({})).toEqual(['diopiSort', 'diopiMatmul', 'diopiCopy']);
  expect(names({ text: 'MATMUL (64,' })).toEqual(['diopiMatmul']);
  expect(names({ text: 'fails' })).toEqual(['diopiSort']);
  expect(names({ measured: 'no' })).toEqual(['diopiSort']);
  expect(names({ measured: 'yes' })).toEqual(['diopiMatmul', 'diopiCopy']);
  expect(names({ dtype: 'float32' })).toEqual([]);
});

test('the performance tab keeps filters of its own', () => {
  expect(asksForCases(new URLSearchParams('view=performance&q=a&sort=b'))).toBe(false);
  expect(asksForCases(new URLSearchParams('q=a'))).toBe(true);
});

test('a roof is a slope and a level; a rate that is unknown does not limit', () => {
  const roofline = { source: '', source_found: null, bytes_per_s: 1e11, operations_per_s: { float16: 1e12 } };
  expect(roofLine(roofline, 'float16', [1, 100])).toEqual([
    [1, 100],
    [10, 1000],
    [100, 1000],
  ]);
  expect(roofLine(roofline, 'float16', [100, 1000])).toEqual([
    [100, 1000],
    [1000, 1000],
  ]);
  expect(roofLine(roofline, 'int8', [1, 100]).at(-1)).toEqual([100, 10000]);
  expect(roofLine({ ...roofline, bytes_per_s: 0 }, 'float16', [1, 100])[0]).toEqual([1, 1000]);
  expect(roofLine({ ...roofline, bytes_per_s: 0 }, 'int8', [1, 100])).toEqual([]);
});

test('the plot has the calls with operations, and reaches to the bend of the roof', () => {
  const roofline = { source: '', source_found: null, bytes_per_s: 1e9, operations_per_s: { float16: 5e11 } };
  const plot = roofPlot({ calls: [none, measured, copy], roofline });
  expect(plot.shown).toBe(1);
  expect(plot.series.map(({ dtype }) => dtype)).toEqual(['float16']);
  expect(plot.series[0]?.points[0]).toMatchObject({ intensity: 5, gops: 0.25 });
  expect(roofPlot({ calls: [{ ...measured, cold_us: null }], roofline }).shown).toBe(0);
  const half: Call = { ...measured, dtype: 'bfloat16' };
  const two = roofPlot({
    calls: [measured, half],
    roofline: { ...roofline, operations_per_s: { float16: 5e11, bfloat16: 5e11 } },
  });
  expect(two.series.map(({ label }) => label)).toEqual(['bfloat16, float16', '']);
  expect([plot.x, plot.y]).toEqual([
    [1, 1000],
    [0.1, 1000],
  ]);
});

test('axes in whole powers of ten', () => {
  expect(decades([])).toEqual([1, 10]);
  expect(decades([100])).toEqual([100, 1000]);
  expect(decades([0, 3, 4000])).toEqual([1, 10000]);
  expect([0.01, 1, 1000, 1e4, 1e-12].map(powerOfTen)).toEqual(['0.01', '1', '1000', '10⁴', '10⁻¹²']);
});

test('a step’s parts add up to its time: named operators, then all others', () => {
  const step = (model: string, operators_us: Record<string, number>): StepTotal => {
    const us = Object.values(operators_us).reduce((sum, part) => sum + part, 0);
    return { model, stage: '', us, low_us: us, high_us: us, calls: 9, measured: 9, operators_us };
  };
  const steps = [step('a', { add: 10, matmul: 70, gelu: 20 }), step('b', { softmax: 1, matmul: 3 })];
  const named = namedOperators(steps, 2);
  expect(named).toEqual(['matmul', 'softmax']);
  expect(stepParts(steps[0] as StepTotal, named)).toEqual([
    { operator: 'matmul', at: 0, us: 70, share: 0.7 },
    { operator: '', at: -1, us: 30, share: 0.3 },
  ]);
  expect(stepParts({ ...(steps[0] as StepTotal), measured: 8 }, named)).toEqual([]);
  const lines = stepLines([
    { steps: [] },
    { steps },
    { steps: [{ ...(steps[1] as StepTotal), measured: 8 }] },
  ]);
  expect(lines.map(({ name, steps: of }) => [name, of.map((one) => one?.us ?? null)])).toEqual([
    ['a', [null, 100, null]],
    ['b', [null, 4, null]],
  ]);
});

test('changes: slower first, and only the two words count as a change', () => {
  const us = { median: 1, low: 1, high: 1 };
  const call = (ratio: number, change: string): CallChange => ({
    ...{ case: `${ratio}`, function: 'f', before_us: us, after_us: us, ratio, low: ratio, high: ratio },
    ...{ p: 1, change },
  });
  const calls = [call(1.01, ''), call(0.5, 'faster'), call(1.5, 'slower'), call(3, 'slower')];
  expect(orderChanges(calls).map(({ ratio }) => ratio)).toEqual([3, 1.5, 0.5, 1.01]);
  expect(calls.map(changeOf)).toEqual(['same', 'faster', 'slower', 'slower']);
  expect(changeOf(call(1, 'same'))).toBe('same');
});
