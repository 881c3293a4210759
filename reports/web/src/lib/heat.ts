// The heat map's cells: the text and the shade of each.
import type { Heat } from '../api/messages';

export interface HeatLook {
  cases: number;
  passed: number;
  failed: number;
  other: number;
  kind: 'good' | 'bad' | 'none';
  level: number; // 0 to 4, of what failed; shades
  text: string;
}

export function heatLook(cases: number, passed: number, failed: number, other: number): HeatLook {
  const figures = { cases, passed, failed, other };
  if (failed > 0) {
    const share = failed / Math.max(1, passed + failed);
    return { ...figures, kind: 'bad', level: Math.min(4, Math.ceil(share * 4)), text: String(failed) };
  }
  if (passed > 0) return { ...figures, kind: 'good', level: other > 0 ? 1 : 2, text: other > 0 ? '✓·' : '✓' };
  return { ...figures, kind: 'none', level: 0, text: '○' };
}

// For each operator, a row of looks by dtype; null: the suite has no case there.
export function heatRows(heat: Heat): { operator: string; cells: (HeatLook | null)[] }[] {
  const rows = heat.operators.map((operator) => ({
    operator,
    cells: heat.dtypes.map((): HeatLook | null => null),
  }));
  for (const [operator, dtype, cases, passed, failed, other] of heat.cells) {
    const row = rows[operator];
    if (row && dtype < row.cells.length) row.cells[dtype] = heatLook(cases, passed, failed, other);
  }
  return rows;
}

const SHORT: Record<string, string> = {
  float16: 'f16',
  float32: 'f32',
  float64: 'f64',
  bfloat16: 'bf16',
  complex64: 'c64',
  complex128: 'c128',
};
export const shortDtype = (dtype: string): string =>
  SHORT[dtype] ?? dtype.replace(/^uint/, 'u').replace(/^int/, 'i').replace('bool', 'b');
