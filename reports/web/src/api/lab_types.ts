// The answers about a whole lab (server/http/API.md): all chips side by side, and the standing agents.
import type { Found } from '../lib/findings';
import type { Outcome } from './messages';
import type { RunSummary } from './types';

export interface OperatorCounts {
  cases: number;
  passed: number;
  failed: number;
}

export interface LabChip {
  chip: string;
  run: RunSummary | null; // the newest complete run of the range, or else the newest with verdicts
  green: RunSummary | null; // the newest complete run in which nothing failed
  runs_since: number; // complete runs after it
  changes: { operator: string; before: OperatorCounts; now: OperatorCounts }[];
}

export interface LabFailure {
  key: string;
  outcome: Outcome;
  cause: string; // in English
  finding: Found | null; // the same; null: its cases have texts alone
  diagnosed: boolean;
  operators: string[];
  cases: number;
  chips: { chip: string; run_id: string; cases: number; example: string }[];
}

export interface LabPage {
  chips: LabChip[];
  operators: { operator: string; cells: (OperatorCounts | null)[] }[];
  failures: LabFailure[];
}

export interface AgentRow {
  agent_id: string;
  chip: string;
  host: string;
  agent_version: string;
  vendor_name: string;
  impl_version: string;
  impl_sha256: string;
  takes_uploads: boolean;
  state: 'online' | 'busy' | 'unhealthy' | 'lost';
  since: string | null; // of the state
  seen: string | null; // its last sign of life
  health: string;
  run_id: string | null; // that it works on
  cases: number | null;
  done: number | null;
}
