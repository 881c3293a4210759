// All outcomes: each has words, a sign and a colour family, so that none depends on colour alone.
import type { Outcome, OutcomeCounts } from '../api/types';

// How an outcome counts: only `pass` is good; cases that were not called are neither good nor bad.
export type Tone = 'good' | 'bad' | 'none' | 'note' | 'ours';

interface Look {
  label: string;
  sign: string;
  tone: Tone;
  says: string;
}

// In display order.
export const OUTCOMES: Record<Outcome, Look> = {
  pass: { label: 'pass', sign: '✓', tone: 'good', says: 'correct within the tolerance' },
  fail: { label: 'fail', sign: '✕', tone: 'bad', says: 'wrong numbers, shape or dtype' },
  error: { label: 'error', sign: '!', tone: 'bad', says: 'the call returned an error' },
  crash: { label: 'crash', sign: '⚡', tone: 'bad', says: 'the process ended during the call' },
  timeout: { label: 'timeout', sign: '◷', tone: 'bad', says: 'the call did not return in time' },
  memory: {
    label: 'memory',
    sign: '▦',
    tone: 'bad',
    says: 'out of bounds, unwritten output or changed input',
  },
  nondeterministic: { label: 'nondeterministic', sign: '≠', tone: 'bad', says: 'two calls differ' },
  not_implemented: {
    label: 'not implemented',
    sign: '○',
    tone: 'none',
    says: 'the library has no such function',
  },
  unsupported_dtype: {
    label: 'unsupported dtype',
    sign: '◌',
    tone: 'none',
    says: 'the library refuses this dtype',
  },
  skipped: { label: 'skipped', sign: '»', tone: 'none', says: 'not run' },
  waived: { label: 'waived', sign: '§', tone: 'note', says: 'fails, but a waiver accepts it' },
  harness_error: { label: 'harness error', sign: '⚙', tone: 'ours', says: 'our fault, never the chip’s' },
};

export const OUTCOME_ORDER = Object.keys(OUTCOMES) as Outcome[];
const RANK = new Map(OUTCOME_ORDER.map((outcome, i) => [outcome, i]));

export function look(outcome: string): Look {
  return (
    OUTCOMES[outcome as Outcome] ?? { label: outcome, sign: '?', tone: 'none', says: 'unknown to this page' }
  );
}

export const outcomeRank = (outcome: string): number => RANK.get(outcome as Outcome) ?? OUTCOME_ORDER.length;
export const isFailure = (outcome: string): boolean => look(outcome).tone === 'bad';

export function failures(outcomes: OutcomeCounts): number {
  return OUTCOME_ORDER.filter(isFailure).reduce((sum, outcome) => sum + (outcomes[outcome] ?? 0), 0);
}
