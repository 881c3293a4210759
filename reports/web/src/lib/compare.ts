// The kinds of difference between two runs; their words are kind.KIND and kind_says.KIND of the catalogues.
import type { CompareKind, CompareRow } from '../api/messages';
import type { Tone } from './outcomes';

export type ChangeKind = Exclude<CompareKind, 'same'>; // that has rows

export const KINDS: Record<ChangeKind, { sign: string; tone: Tone }> = {
  newly_failing: { sign: '✕', tone: 'bad' },
  newly_refused: { sign: '⊘', tone: 'bad' },
  newly_passing: { sign: '✓', tone: 'good' },
  changed: { sign: '≠', tone: 'note' },
  redefined: { sign: '≢', tone: 'note' },
  worse: { sign: '▲', tone: 'bad' },
  better: { sign: '▼', tone: 'good' },
  slower: { sign: '◷', tone: 'bad' },
  faster: { sign: '»', tone: 'good' },
  appeared: { sign: '+', tone: 'none' },
  vanished: { sign: '−', tone: 'none' },
};

export const ALL = 'all'; // of a filter by kind
export const COMPARE_KINDS = Object.keys(KINDS) as ChangeKind[];

export function filterCompare(
  rows: CompareRow[],
  kinds: Set<string>,
  operator: string,
  text: string,
): CompareRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    (row) =>
      (kinds.size === 0 || kinds.has(ALL) || kinds.has(row.kind)) &&
      (operator === '' || row.operator === operator) &&
      words.every((word) => row.case_id.toLowerCase().includes(word)),
  );
}
