// The answer of /runs/RUN/failures.
import type { Outcome, RunState } from './types';

export interface FailureGroup {
  key: string;
  outcome: Outcome;
  cause: string;
  diagnosed: boolean; // false: the cause is only an observation
  operators: string[];
  functions: string[];
  dtypes: string[];
  cases: number;
  case_ids: string[];
  example: { case_id: string; reason: string; repro: string };
}

export interface Failures {
  run_id: string;
  state: RunState;
  cases: number;
  groups: FailureGroup[]; // largest first
}
