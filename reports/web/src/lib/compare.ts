// The kinds of difference between two runs, in words.
import type { CompareKind, CompareRow } from '../api/compare_types';
import type { Tone } from './outcomes';

export const KINDS: Record<CompareKind, { label: string; sign: string; tone: Tone; says: string }> = {
  newly_failing: { label: 'newly failing', sign: '✕', tone: 'bad', says: 'passed in A, not in B' },
  newly_passing: { label: 'newly passing', sign: '✓', tone: 'good', says: 'passes in B, not in A' },
  changed: { label: 'changed', sign: '≠', tone: 'note', says: 'another change of outcome' },
  redefined: {
    label: 'redefined',
    sign: '≢',
    tone: 'note',
    says: 'a different case under the same name: not comparable',
  },
  worse: { label: 'worse', sign: '▲', tone: 'bad', says: 'a larger error' },
  better: { label: 'better', sign: '▼', tone: 'good', says: 'a smaller error' },
  slower: {
    label: 'slower',
    sign: '◷',
    tone: 'bad',
    says: 'every run of B’s library took longer than every run of A’s',
  },
  faster: {
    label: 'faster',
    sign: '»',
    tone: 'good',
    says: 'every run of B’s library took less time than every run of A’s',
  },
  appeared: { label: 'appeared', sign: '+', tone: 'none', says: 'only B has it' },
  vanished: { label: 'vanished', sign: '−', tone: 'none', says: 'only A has it' },
};

export function filterCompare(
  rows: CompareRow[],
  kinds: Set<string>,
  operator: string,
  text: string,
): CompareRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    (row) =>
      (kinds.size === 0 || kinds.has(row.kind)) &&
      (operator === '' || row.operator === operator) &&
      words.every((word) => row.case_id.toLowerCase().includes(word)),
  );
}
