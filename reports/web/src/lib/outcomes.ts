// All outcomes: each has a name, a sign and a colour family, so that none depends on colour alone. Names are the same in
// every language; what an outcome means is outcome.NAME of the catalogues.
import type { Outcome } from '../api/messages';
import { t } from './i18n';

export type OutcomeCounts = Partial<Record<Outcome, number>>;

// How an outcome counts: only `pass` is good; cases that were not called are neither good nor bad.
export type Tone = 'good' | 'bad' | 'none' | 'note' | 'ours';

interface Look {
  label: string;
  sign: string;
  tone: Tone;
}

// In display order.
export const OUTCOMES: Record<Outcome, Look> = {
  pass: { label: 'pass', sign: '✓', tone: 'good' },
  fail: { label: 'fail', sign: '✕', tone: 'bad' },
  error: { label: 'error', sign: '!', tone: 'bad' },
  crash: { label: 'crash', sign: '⚡', tone: 'bad' },
  timeout: { label: 'timeout', sign: '◷', tone: 'bad' },
  memory: {
    label: 'memory',
    sign: '▦',
    tone: 'bad',
  },
  nondeterministic: { label: 'nondeterministic', sign: '≠', tone: 'bad' },
  not_implemented: {
    label: 'not implemented',
    sign: '○',
    tone: 'none',
  },
  unsupported_dtype: {
    label: 'unsupported dtype',
    sign: '◌',
    tone: 'none',
  },
  skipped: { label: 'skipped', sign: '»', tone: 'none' },
  waived: { label: 'waived', sign: '§', tone: 'note' },
  harness_error: { label: 'harness error', sign: '⚙', tone: 'ours' },
};

export const OUTCOME_ORDER = Object.keys(OUTCOMES) as Outcome[];
const RANK = new Map(OUTCOME_ORDER.map((outcome, i) => [outcome, i]));

export function look(outcome: string): Look {
  return OUTCOMES[outcome as Outcome] ?? { label: outcome, sign: '?', tone: 'none' };
}

export const meaning = (outcome: string): string =>
  t(outcome in OUTCOMES ? `outcome.${outcome as Outcome}` : 'outcome.unknown');

export const outcomeRank = (outcome: string): number => RANK.get(outcome as Outcome) ?? OUTCOME_ORDER.length;
export const isFailure = (outcome: string): boolean => look(outcome).tone === 'bad';

export function failures(outcomes: OutcomeCounts): number {
  return OUTCOME_ORDER.filter(isFailure).reduce((sum, outcome) => sum + (outcomes[outcome] ?? 0), 0);
}
