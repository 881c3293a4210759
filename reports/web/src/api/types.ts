// The JSON API's answers (server/http/API.md). null is "not measured" or "does not apply", never zero.
import type { Reason } from '../lib/findings';
import type { Exploration } from './exploration_types';
import type { Figure, Machine, Outcome, RunState, Verdict } from './messages';

export type { Figure, Mismatch, Outcome, OutputStats, RunState } from './messages';
export type OutcomeCounts = Partial<Record<Outcome, number>>;

export interface Coverage {
  abi_functions: number;
  implemented: number; // exported
  selected: number;
  with_cases: number; // the suite has cases of them
  tested: number;
  passing: number;
}

export interface Correctness {
  called: number;
  passed: number;
}

export interface RunSummary {
  run_id: string;
  chip: string;
  vendor_name: string;
  impl_version: string;
  impl_sha256: string;
  impl_path: string;
  suite_hash: string;
  state: RunState;
  created: string | null;
  finished: string | null;
  host: string;
  agent_version: string;
  dialect: string;
  contracts: string[];
  environment: string[]; // NAME=VALUE, of the device profile
  adaptor: string[]; // rules in words
  labels: Record<string, string>; // commit, branch, ticket, note, ...
  badges: string[];
  cases: number;
  done: number;
  outcomes: OutcomeCounts;
  coverage: Coverage;
  correctness: Correctness;
  references: string[];
  failed: number;
  widened: number;
  waivers_in_force: number;
  partial: string | null; // why the run does not stand for its chip; null: it is complete
  abort_reason: string | null; // why the server aborted the run by itself; null: it did not
  variant: string;
}

export interface TrendPoint {
  run_id: string;
  created: string | null;
  variant: string;
  correctness: Correctness;
  coverage: Coverage;
  failed: number;
}

export interface ChipRow {
  chip: string;
  vendor_name: string;
  runs: number;
  latest: RunSummary; // the newest, whatever its state
  complete: RunSummary | null; // the newest complete one: it stands for the chip
  trend: TrendPoint[]; // complete runs, oldest first
}

// [operator's index, dtype's index, cases, passed, failed, other]
export type HeatCell = [number, number, number, number, number, number];

export interface Heat {
  run_id: string | null;
  operators: string[];
  dtypes: string[];
  cells: HeatCell[];
}

export interface ChipPage {
  chip: string;
  latest: RunSummary;
  complete: RunSummary | null;
  runs: RunSummary[];
  heat: Heat;
  machine: Machine | null; // of the run that stands for the chip
  flaky: { case_id: string; runs: number; changes: number }[];
}

export interface OperatorRow {
  operator: string;
  cases: number;
  passed: number;
  failed: number;
  not_implemented: number;
  other: number;
}

export interface Waiver extends Reason {
  case_id: string;
  link: string | null;
  expires: string | null;
}

export interface RunPage extends RunSummary {
  options: Record<string, string | number | boolean | null>;
  operators: OperatorRow[];
  waivers: Waiver[];
  public_rule: { judged: number; ours_alone: number; theirs_alone: number } | null;
  devices: { device_index: number | null; cases: number; passed: number }[];
  submission: { note: string; cancelled: boolean; exit_code: number | null } | null;
  exploration: Exploration | null; // null: a run of cases
  machine: Machine | null; // null: the agent did not say
  measured_calls: number; // whose time the run measured; 0: it measured nothing
}

export interface CasesTable {
  run_id: string;
  state: RunState;
  columns: string[];
  rows: unknown[][];
}

export interface Argument {
  name: string;
  role: 'in' | 'out' | 'in/out' | 'library' | '';
  text: string;
}

export interface CasePage extends Verdict {
  run_id: string;
  chip: string;
  arguments: Argument[] | null; // null: this server's data folder has no such case
  reveals: string | null;
  repro: string;
}

export interface HistoryPoint {
  run_id: string;
  created: string | null;
  state: RunState;
  impl_sha256: string;
  impl_version: string;
  variant: string;
  outcome: Outcome;
  reason: string;
  call_us: Figure;
  max_ulp: Figure;
  max_z: Figure;
  rms_z: Figure;
}

export interface History {
  case_id: string;
  chip: string;
  points: HistoryPoint[]; // oldest first
  flaky: boolean;
  changes: number;
  first_bad: string | null;
  last_good: string | null;
}

export interface CoverageCell {
  implemented: boolean;
  tested: boolean;
  cases: number;
  passed: number;
  run_id: string | null;
}

export interface CoveragePage {
  chips: string[];
  abi_functions: number;
  functions: { name: string; header: string; family: string | null; cells: (CoverageCell | null)[] }[];
}

export interface ModelCell {
  run_id: string;
  ready: boolean;
  max_tensor_bytes: number;
  calls: number;
  passing: number;
  failing: number;
  not_implemented: number;
  not_judged: number;
  scaled: number;
  failing_functions: string[];
  missing_functions: string[];
}

export interface ModelsPage {
  chips: string[];
  models: { name: string; summary: string; cells: (ModelCell | null)[] }[];
}

export interface Progress {
  run_id: string;
  state: RunState;
  cases: number;
  done: number;
  outcomes: OutcomeCounts;
  since: unknown;
  recent: (Reason & { case_id: string; outcome: Outcome })[]; // newest first
  cases_per_s: number | null;
  left_s: number | null;
}
