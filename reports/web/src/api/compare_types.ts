// The answer of /compare.
import type { RunComparison } from './messages';
import type { Figure, Outcome, RunSummary } from './types';

export const COMPARE_KINDS = [
  'newly_failing',
  'newly_passing',
  'changed',
  'redefined',
  'worse',
  'better',
  'slower',
  'faster',
  'appeared',
  'vanished',
] as const;
export type CompareKind = (typeof COMPARE_KINDS)[number];

export interface CompareSide {
  outcome: Outcome;
  max_z: Figure;
  max_ulp: Figure;
  call_us: Figure;
  call_low_us: Figure; // over the runs of this library; null: too few runs
  call_high_us: Figure;
}

export interface CompareRow {
  case_id: string;
  operator: string;
  dtype: string;
  kind: CompareKind;
  a: CompareSide | null;
  b: CompareSide | null;
  factor: Figure;
}

export interface Compare {
  a: RunSummary;
  b: RunSummary;
  same_variant: boolean;
  comparison: RunComparison;
  counts: Partial<Record<CompareKind | 'same', number>>;
  rows: CompareRow[];
}
