// Operators by chips: how each cell reads, and which operators a filter keeps.
import type { LabPage, OperatorCounts } from '../api/messages';

export type OperatorKind = 'passing' | 'failing' | 'partly' | 'absent';

export function operatorKind(cell: OperatorCounts | null): OperatorKind {
  if (!cell) return 'absent';
  if (cell.failed > 0) return 'failing';
  if (cell.passed === 0) return 'absent';
  return cell.passed === cell.cases ? 'passing' : 'partly';
}

// Each kind's words are lab_operator.KIND of the catalogues.
export const OPERATOR_LOOKS: Record<OperatorKind, { sign: string; tone: string }> = {
  passing: { sign: '✓', tone: 'good' },
  failing: { sign: '✕', tone: 'bad' },
  partly: { sign: '◐', tone: 'note' },
  absent: { sign: '–', tone: 'absent' },
};

// `show`: '', or an OperatorKind that some chip must have.
export function filterOperators(page: LabPage, text: string, show: string): LabPage['operators'] {
  return page.operators.filter(
    ({ operator, cells }) =>
      operator.includes(text.toLowerCase()) &&
      (show === '' || cells.some((cell) => operatorKind(cell) === show)),
  );
}
