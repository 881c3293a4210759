// Explorations: random valid calls, which are no run and stand for no chip (server/http/API.md).
import type { Found } from '../lib/findings';
import type { Outcome, RunState } from './messages';
import type { OutcomeCounts } from './types';

interface Asked {
  asked_calls: number | null; // one of the two is null
  asked_seconds: number | null;
  seed: string;
  selection: string;
  calls: number; // judged
  failed: number; // of these
  seconds: number;
  functions_called: number;
}

export interface ExplorationRow extends Asked {
  run_id: string;
  chip: string;
  vendor_name: string;
  impl_version: string;
  impl_sha256: string;
  state: RunState;
  created: string | null;
  finished: string | null;
  labels: Record<string, string>;
  causes: number;
}

export interface ExplorationCause {
  key: string;
  outcome: Outcome;
  cause: string;
  finding: Found | null; // what `cause` says
  operators: string[];
  calls: number;
  example: string; // case id of the call in the file
  reason: string;
  findings: Found[]; // with the likely cause, what `reason` is made of
  likely_cause: Found | null;
  file: string;
  text: string | null; // of the file; null: not stored
  command: string;
  known: boolean; // an earlier exploration had found it
}

export interface Exploration extends Asked {
  stop_on_first: boolean;
  outcomes: OutcomeCounts;
  classes: number;
  pairs: number;
  refused: number; // calls without reference
  false_alarms: number; // expected of a correct library, at most
  given_up: string[];
  functions: { function: string; calls: number; failures: number; classes: number; pairs: number }[];
  causes: ExplorationCause[];
}
