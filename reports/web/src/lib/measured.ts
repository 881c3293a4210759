// Where an answer is judged bit for bit there is no noise to measure an error by, and the server's zeros are no
// measurements: they become null, "not measured".
import type { CasePage, Compare, CompareSide, Figure, History, HistoryPoint, Output } from '../api/types';

// An error of 0 noise units is none: what did not pass was not judged by it.
export function noise(outcome: string, z: Figure): Figure {
  return outcome !== 'pass' && z === 0 ? null : z;
}

// A rounded output has an ideal error of its own, and some error in noise units.
export function isExact(output: Output): boolean {
  const { max_z, rms_z, rmse, rmse_ideal, bias } = output;
  return [max_z, rms_z, rmse, rmse_ideal, bias].every((value) => value === 0 || value === null);
}

const unmeasured = { max_z: null, rms_z: null, rmse: null, rmse_ideal: null, bias: null };

// The bias is over the elements whose rounding can lean; with none of them the server says 0.
function measuredOutput(output: Output): Output {
  if (isExact(output)) return { ...output, ...unmeasured };
  return output.bias === 0 && output.rmse !== 0 ? { ...output, bias: null } : output;
}

export function measuredCase(page: CasePage): CasePage {
  return { ...page, outputs: page.outputs.map(measuredOutput) };
}

export function measuredHistory(history: History): History {
  const point = (p: HistoryPoint) => ({
    ...p,
    max_z: noise(p.outcome, p.max_z),
    rms_z: noise(p.outcome, p.rms_z),
  });
  return { ...history, points: history.points.map(point) };
}

export function measuredCompare(compare: Compare): Compare {
  const side = (s: CompareSide | null) => s && { ...s, max_z: noise(s.outcome, s.max_z) };
  return { ...compare, rows: compare.rows.map((row) => ({ ...row, a: side(row.a), b: side(row.b) })) };
}
