// The answer of /runs/RUN/failures.
import type { Found, Reason } from '../lib/findings';
import type { Outcome, RunState } from './types';

export interface FailureGroup {
  key: string;
  outcome: Outcome;
  cause: string; // in English
  finding: Found | null; // the same; null: its cases have texts alone
  diagnosed: boolean; // false: the cause is only an observation
  operators: string[];
  functions: string[];
  dtypes: string[];
  cases: number;
  case_ids: string[];
  example: Reason & { case_id: string; repro: string };
}

export interface Failures {
  run_id: string;
  state: RunState;
  cases: number;
  groups: FailureGroup[]; // largest first
}
