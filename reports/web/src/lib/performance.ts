// The logic of the pages on performance: rows of the table of calls, the roofline plot, the parts of a step.
import type { Call, CallChange, CallTimes, Performance, Roofline, StepTotal } from '../api/messages';

export type MeasuredCall = Call & CallTimes;

export const isMeasured = (call: Call): call is MeasuredCall => call.not_measured === undefined;

// A call as a row of the table, whose fields its columns sort by.
export interface CallRow {
  call: Call;
  function: string;
  dtype: string;
  shapes: string;
  not_measured: string; // '': it was measured
  median: number | null;
  spread: number | null; // the interval's width over the median
  cold_us: number | null;
  first_us: number | null;
  bytes_per_s: number | null;
  operations_per_s: number | null;
  roofline_share: number | null;
  bound: string | null; // null without a share of the roofline
  score: number | null;
}

export function callRow(call: Call): CallRow {
  const { function: name, dtype, shapes } = call;
  const row = { call, function: name, dtype, shapes };
  if (!isMeasured(call)) {
    const none = { median: null, spread: null, cold_us: null, first_us: null, bytes_per_s: null };
    const rates = { operations_per_s: null, roofline_share: null, bound: null, score: null };
    return { ...row, not_measured: call.not_measured ?? '', ...none, ...rates };
  }
  const { us, cold_us, first_us, bytes_per_s, operations_per_s, roofline_share, score } = call;
  return {
    ...{ ...row, not_measured: '', median: us.median, spread: (us.high - us.low) / us.median },
    ...{ cold_us, first_us, bytes_per_s, operations_per_s, roofline_share, score },
    bound: roofline_share === null ? null : call.bound,
  };
}

export interface CallFilter {
  dtype: string; // '': all
  measured: string; // 'yes', 'no'; '': all
  text: string; // words that the function, dtype, shapes, case or reason contain, all of them
}

export const readCallFilter = (query: URLSearchParams): CallFilter => ({
  dtype: query.get('dtype') ?? '',
  measured: query.get('measured') ?? '',
  text: query.get('q') ?? '',
});

export function filterCalls(rows: CallRow[], filter: CallFilter): CallRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (filter.dtype !== '' && row.dtype !== filter.dtype) return false;
    if (filter.measured !== '' && (filter.measured === 'yes') !== (row.not_measured === '')) return false;
    const { function: name, dtype, shapes, not_measured, call } = row;
    const text = `${name} ${dtype} ${shapes} ${call.case} ${call.judged_case} ${not_measured}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export interface RoofPoint {
  call: MeasuredCall;
  intensity: number; // operations per byte
  gops: number; // 10^9 operations per second
}

// The calls that have a place in the plot, by dtype, with cold caches: with warm ones a call may be above the limits of the
// device's memory. A call without operations, such as a copy, has none.
export function roofPoints(calls: Call[]): Map<string, RoofPoint[]> {
  const points = new Map<string, RoofPoint[]>();
  for (const call of calls) {
    const bytes = call.read_bytes + call.written_bytes;
    if (!isMeasured(call) || !call.cold_us || call.operations <= 0 || bytes <= 0) continue;
    const point = { call, intensity: call.operations / bytes, gops: call.operations / call.cold_us / 1e3 };
    points.set(call.dtype, [...(points.get(call.dtype) ?? []), point]);
  }
  return new Map([...points].sort(([a], [b]) => a.localeCompare(b)));
}

type Range = [number, number];

// The smallest range of whole powers of ten that contains the values and spans at least one.
export function decades(values: number[]): Range {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  if (logs.length === 0) return [1, 10];
  const low = Math.floor(Math.min(...logs) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.max(...logs) - 1e-9));
  return [10 ** low, 10 ** high];
}

// The most that the device can do at each intensity, in 10^9 operations per second: a slope while memory limits it, then
// a level. Without one of the two rates the other limits alone; without both there is no line.
export function roofLine(roofline: Roofline, dtype: string, [from, to]: Range): [number, number][] {
  const [slope, level] = [roofline.bytes_per_s / 1e9, (roofline.operations_per_s[dtype] ?? 0) / 1e9];
  if (slope <= 0 && level <= 0) return [];
  const most = (x: number) => (slope <= 0 ? level : level <= 0 ? x * slope : Math.min(x * slope, level));
  const ridge = slope > 0 && level > 0 ? level / slope : 0;
  const xs = ridge > from && ridge < to ? [from, ridge, to] : [from, to];
  return xs.map((x) => [x, most(x)]);
}

export interface RoofSeries {
  dtype: string;
  points: RoofPoint[];
  roof: [number, number][];
  label: string; // of the roof: all dtypes that have it, and '' for all but the first of them
}

export interface RoofPlot {
  series: RoofSeries[];
  x: Range;
  y: Range;
  shown: number;
}

// The plot's series and the ranges of its axes, which reach to the bend of each roof.
export function roofPlot({ calls, roofline }: Pick<Performance, 'calls' | 'roofline'>): RoofPlot {
  const byDtype = roofPoints(calls);
  const all = [...byDtype.values()].flat();
  const ridges = [...byDtype.keys()].flatMap((dtype) => {
    const level = roofline.operations_per_s[dtype] ?? 0;
    return level > 0 && roofline.bytes_per_s > 0 ? [level / roofline.bytes_per_s] : [];
  });
  const x = decades([...all.map((point) => point.intensity), ...ridges]);
  const roofs = [...byDtype].map(([dtype, points]) => ({
    dtype,
    points,
    roof: roofLine(roofline, dtype, x),
  }));
  const series = roofs.map((one) => {
    const alike = roofs.filter(({ roof }) => roof.join() === one.roof.join());
    const label = alike[0] === one && one.roof.length > 0 ? alike.map(({ dtype }) => dtype).join(', ') : '';
    return { ...one, label };
  });
  const tops = series.flatMap(({ roof }) => roof.map(([, gops]) => gops));
  // Not down to where the slope leaves the calls.
  const y = decades([...all.map((point) => point.gops), Math.max(0, ...tops)]);
  return { series, x, y, shown: all.length };
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';

// The label of a power of ten on an axis: 0.01 to 1000 in digits, 10⁻⁵.
export function powerOfTen(value: number): string {
  const power = Math.round(Math.log10(value));
  if (power >= -2 && power <= 3) return String(Number((10 ** power).toPrecision(1)));
  const digits = [...String(Math.abs(power))].map((digit) => SUPERSCRIPT[Number(digit)]);
  return `10${power < 0 ? '⁻' : ''}${digits.join('')}`;
}

export interface StepPart {
  operator: string; // '': all others
  at: number; // its place among the named operators, which gives it its colour; -1: all others
  us: number;
  share: number; // of the step's time
}

// The operators that take the largest shares of the steps: at most `most`.
export function namedOperators(steps: StepTotal[], most: number): string[] {
  const largest = new Map<string, number>();
  for (const { us, operators_us } of steps)
    for (const [name, part] of Object.entries(operators_us))
      if (us > 0) largest.set(name, Math.max(largest.get(name) ?? 0, part / us));
  const names = [...largest].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return names.slice(0, most).map(([name]) => name);
}

// Parts of a step have no total.
export const isComplete = (step: StepTotal): boolean => step.measured === step.calls && step.us > 0;

// What a step's time consists of, the largest first, and the operators that have no name last, together.
export function stepParts(step: StepTotal, named: string[]): StepPart[] {
  if (!isComplete(step)) return [];
  const parts: StepPart[] = [];
  let others = 0;
  for (const [operator, us] of Object.entries(step.operators_us)) {
    const at = named.indexOf(operator);
    if (at < 0) others += us;
    else if (us > 0) parts.push({ operator, at, us, share: us / step.us });
  }
  parts.sort((a, b) => b.us - a.us);
  if (others > 0) parts.push({ operator: '', at: -1, us: others, share: others / step.us });
  return parts;
}

export const stepName = ({ model, stage }: Pick<StepTotal, 'model' | 'stage'>): string =>
  stage === '' ? model : `${model} ${stage}`;

// The steps that some run has, and each run's time of them; null: the run did not measure it.
export function stepLines(runs: { steps: StepTotal[] }[]): { name: string; steps: (StepTotal | null)[] }[] {
  const names = [...new Set(runs.flatMap((run) => run.steps.map(stepName)))].sort();
  const lines = names.map((name) => ({
    name,
    steps: runs.map((run) => run.steps.find((step) => stepName(step) === name && isComplete(step)) ?? null),
  }));
  return lines.filter(({ steps }) => steps.some((step) => step !== null));
}

export type Change = 'slower' | 'faster' | 'same';
export const CHANGES: Change[] = ['slower', 'faster', 'same'];

export const changeOf = ({ change }: CallChange): Change =>
  change === 'slower' || change === 'faster' ? change : 'same';

// Slower calls first, then faster ones, then those without a change; the farthest from the ratio 1 first.
export function orderChanges(calls: CallChange[]): CallChange[] {
  const distance = (call: CallChange) => Math.abs(Math.log(call.ratio));
  const rank = (call: CallChange) => CHANGES.indexOf(changeOf(call));
  return [...calls].sort((a, b) => rank(a) - rank(b) || distance(b) - distance(a));
}
