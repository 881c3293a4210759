// Functions by chip: how each cell reads, and which functions a filter keeps.
import type { CoverageCell, CoveragePage } from '../api/messages';

export type CellKind = 'passing' | 'failing' | 'untested' | 'absent';

export function cellKind(cell: CoverageCell | null): CellKind {
  if (!cell || (!cell.implemented && !cell.tested)) return 'absent';
  if (!cell.tested || cell.cases === 0) return 'untested';
  return cell.passed === cell.cases ? 'passing' : 'failing';
}

// Each kind's words are coverage.KIND of the catalogues.
export const CELL_LOOKS: Record<CellKind, { sign: string; tone: string }> = {
  passing: { sign: '✓', tone: 'good' },
  failing: { sign: '✕', tone: 'bad' },
  untested: { sign: '◌', tone: 'none' },
  absent: { sign: '–', tone: 'absent' },
};

type CoverageFunction = CoveragePage['functions'][number];

export interface CoverageFilter {
  text: string;
  family: string;
  show: string; // '', or a CellKind that some chip must have
}

export function filterFunctions(functions: CoverageFunction[], filter: CoverageFilter): CoverageFunction[] {
  const text = filter.text.toLowerCase();
  return functions.filter(
    (f) =>
      f.name.toLowerCase().includes(text) &&
      (filter.family === '' || (f.family ?? 'none') === filter.family) &&
      (filter.show === '' || f.cells.some((cell) => cellKind(cell) === filter.show)),
  );
}

export function totals(page: CoveragePage): Record<CellKind, number>[] {
  return page.chips.map((_, chip) => {
    const sums: Record<CellKind, number> = { passing: 0, failing: 0, untested: 0, absent: 0 };
    for (const f of page.functions) sums[cellKind(f.cells[chip] ?? null)] += 1;
    return sums;
  });
}
