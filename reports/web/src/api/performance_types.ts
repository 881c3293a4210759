// The JSON API's answers about measured performance (server/http/API.md; reports/render/performance.cc writes them).
// Times are microseconds; null: not measured, or unknown.

export interface Interval {
  median: number;
  low: number;
  high: number;
}

interface Work {
  case: string; // at its true size
  judged_case: string; // of the run, perhaps a smaller one
  function: string;
  dtype: string;
  shapes: string;
  kernel: string;
  read_bytes: number;
  written_bytes: number;
  operations: number;
}

export interface UnmeasuredCall extends Work {
  not_measured: string; // why
}

export interface MeasuredCall extends Work {
  not_measured?: undefined;
  clock: 'device' | 'host';
  us: Interval;
  cold_us: number | null;
  first_us: number;
  submit_us: number;
  round_medians_us: number[];
  disturbed: number;
  bytes_per_s: number | null;
  operations_per_s: number | null;
  roofline_share: number | null; // above 1 where tensors stay in a cache
  bound: 'memory' | 'compute';
  reference_us: number | null;
  score: number | null;
}

export type Call = MeasuredCall | UnmeasuredCall;

export interface StepTotal {
  model: string;
  stage: string;
  us: number; // of the measured calls alone
  low_us: number;
  high_us: number;
  calls: number;
  measured: number;
}

export interface Step extends StepTotal {
  operators_us: Record<string, number>;
}

export interface Roofline {
  source: string;
  bytes_per_s: number; // 0: unknown
  operations_per_s: Record<string, number>; // by dtype
}

export interface CallChange {
  case: string;
  function: string;
  before_us: Interval;
  after_us: Interval;
  ratio: number;
  low: number;
  high: number;
  p: number;
  change: string; // 'slower', 'faster'; anything else: neither
}

export interface Comparison {
  against: string;
  shared: number; // what all calls share, and the comparison divides out; 1: nothing
  noise: number;
  factor: number; // that a change must exceed
  slower: string[];
  faster: string[];
  calls: CallChange[];
}

export interface Performance {
  run_id: string;
  chip: string;
  machine: {
    processor: string;
    copy_bytes_per_s: number; // 0: not measured
    products: { dtype: string; operations_per_s: number; call: string }[];
    launch_us: number; // 0: not measured
    state: string[];
  };
  roofline: Roofline;
  reference: string; // '': none
  noise: number;
  samples: number;
  disturbed: number;
  calls: Call[];
  steps: Step[];
  comparison?: Comparison;
}

export interface MeasuredRun {
  run_id: string;
  created: string | null;
  vendor_name: string;
  impl_version: string;
  impl_sha256: string;
  calls: number;
  measured: number;
  steps: StepTotal[];
}

export interface ChipPerformance {
  chip: string;
  runs: MeasuredRun[]; // oldest first
}
