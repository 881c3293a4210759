// Messages of diopi-conformance as JSON. Made from proto/diopi/v1 by reports/render/message_types_test.cc: do not edit.

// A measurement; null: not measured. 0 is a measured 0.
export type Figure = number | 'Infinity' | '-Infinity' | null;

export type Outcome = 'pass' | 'fail' | 'error' | 'not_implemented' | 'unsupported_dtype' | 'crash' | 'timeout' | 'memory' | 'nondeterministic' | 'skipped' | 'harness_error' | 'waived';

export type Dtype = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'float16' | 'float32' | 'float64' | 'bool' | 'bfloat16' | 'tfloat32' | 'complex32' | 'complex64' | 'complex128' | 'noise64' | 'noise80' | 'unsupported';

export type FindingCode = 'wrong_elements' | 'wrong_dtype' | 'wrong_shape' | 'wrong_dtype_and_shape' | 'output_missing' | 'rms_error' | 'biased' | 'biased_16_bit' | 'hash_differs' | 'not_finite' | 'row_sum_wrong' | 'sum_wrong' | 'index_outside' | 'index_picks_wrong' | 'index_picks_another' | 'index_repeats' | 'pick_wrong' | 'after_sorting' | 'of_output' | 'accepted_as' | 'signs_set' | 'on_slices' | 'passes_under' | 'as_every_order' | 'device_gives' | 'device_off_by' | 'last_elements' | 'last_of_rows' | 'all_within' | 'still_poison' | 'not_bool' | 'nan_lost' | 'all_nan' | 'largest_finite' | 'all_infinite' | 'zero_sign_lost' | 'negative_zeros' | 'subnormals_zero' | 'next_values' | 'values_before' | 'transposed_values' | 'right_modulo_2_32' | 'float32_values' | 'zeros' | 'wrong_signs' | 'too_large' | 'too_small' | 'by_factor' | 'whole_nan' | 'whole_zero' | 'whole_equal' | 'two_exchanged' | 'another_order' | 'equal_value_picked' | 'consistent_with' | 'errors_sized_as' | 'declare' | 'tail_wrong' | 'tail_left_out' | 'never_written' | 'bool_all_bits' | 'nan_not_propagated' | 'overflow_saturates' | 'intermediate_overflows' | 'subnormals_flushed' | 'dimensions_exchanged' | 'in_32_bits' | 'through_float32' | 'sign_wrong' | 'never_computed' | 'written_elsewhere' | 'operand_unchanged' | 'tie_broken' | 'rounded_wrong' | 'generator_still' | 'truncating_accumulator' | 'winograd' | 'tf32_products' | 'intermediate_16_bit' | 'taken_as' | 'two_swapped' | 'first_for_both' | 'second_for_both' | 'ignored' | 'operands_rounded' | 'operands_cut' | 'operands_split' | 'not_broadcast' | 'memory_order' | 'exceeds' | 'correlated' | 'few_distinct' | 'last_alike' | 'kurtosis' | 'far_values' | 'far_value' | 'at_excluded_end' | 'too_many_equal' | 'variance_wrong' | 'element_is' | 'element_not_mean' | 'element_not_certain' | 'element_not_bit' | 'element_outside' | 'element_not_integer_in' | 'element_not_integer_from' | 'element_weightless' | 'element_repeats' | 'element_replaced' | 'share_ones' | 'share_kept' | 'in_place' | 'places_correlated' | 'occurs' | 'of_row' | 'of_first_draws' | 'of_block' | 'of_sequences_alike' | 'of_all_sequences' | 'all_equal' | 'block_repeats' | 'mask_shape' | 'no_numbers_in' | 'no_such_deviation' | 'token_wrong' | 'token_outside' | 'token_not_among' | 'sequence_value' | 'number_per_sequence' | 'logits_equal' | 'not_written' | 'calls_differ' | 'relies_on_output' | 'inputs_overtaken' | 'further_calls_differ' | 'results_differ' | 'other_form' | 'input_changed' | 'strides_ignored' | 'layout_overwritten' | 'written_past_end' | 'written_before_start' | 'reads_outside' | 'memory_grows' | 'changed_after_return' | 'changed_since' | 'null_handle' | 'foreign_handle' | 'last_wrong' | 'scratch_size' | 'scratch_not_asked' | 'scratch_changed' | 'generator_not_advanced' | 'not_exported' | 'returned' | 'threw' | 'sync_failed' | 'signalled' | 'killed' | 'exited' | 'timed_out' | 'did_not_return' | 'printed' | 'not_an_answer' | 'worker_lost' | 'copy_returned' | 'copy_runs' | 'ended_by_thread' | 'ended_before' | 'ended_by_damage' | 'besides' | 'by_itself' | 'call_impossible' | 'step_failed' | 'load_failed' | 'library_check' | 'cpp_name' | 'no_last_error' | 'nothing_to_fail' | 'no_products' | 'skipped_by' | 'waived_by' | 'waiver_expired' | 'beyond_waiver' | 'not_adaptable' | 'not_asked' | 'harness';

export type RunState = 'queued' | 'running' | 'stalled' | 'finished' | 'aborted';

export type RunComparisonPart = 'chip' | 'vendor' | 'version' | 'dialect' | 'library' | 'cases' | 'contracts' | 'environment' | 'adaptor' | 'references' | 'agent_version';

export type TimesKind = 'compared' | 'same_library' | 'too_few_runs';

export interface Mismatch {
  index: number; // flat, in logical (row-major) order
  actual: Figure;
  expected: Figure;
  tolerance: Figure;
  actual_text: string; // integers and bit patterns exactly
  expected_text: string;
}

// Measurements of one output. Units: ulp of the output's dtype; z in noise units (docs/method.md, section 2). A figure that was not measured is NaN (null in JSON), never 0: an output judged bit for bit has none in noise units, integers have none in ulps, and an output without elements has no errors.
export interface OutputStats {
  key: string; // "out", "outs.0"
  dtype: Dtype;
  shape: number[];
  ok: boolean;
  gates: string; // the gates that failed: "P", "X", "S", "R,B"
  elements: number;
  mismatches: number;
  soft: number; // above 1/2 w + 8 sigma but inside the gate
  max_ulp: Figure;
  max_z: Figure;
  rms_z: Figure;
  max_abs: Figure;
  max_rel: Figure;
  rmse: Figure;
  rmse_ideal: Figure;
  bias: Figure;
  radial_bias: Figure;
  nan_actual: number;
  inf_actual: number;
  flushed: number;
  zero_fraction: Figure;
  ulp_histogram: number[]; // 24 bins, log2; empty where max_ulp was not measured
  first: Mismatch[]; // at most 16
  detail: string; // in words, when not ok; made of Verdict.findings
  public_pass: boolean; // |out-ref| <= atol + rtol|ref|, 0.1 % may miss: for comparison only
  public_mismatch_ratio: Figure;
  groups: number; // independent groups of roundings, G of gate R
  argmax: number; // flat index of max_z; -1 where nothing was measured
  leaning: number; // elements that gate B looks at
  rms_z_device: Figure; // Compared with the device reference's (NVIDIA's) output; not measured, and grade empty, where the baseline has none.
  rmse_device: Figure;
  rmse_ratio: Figure; // rmse / max(rmse_device, rmse_ideal); 1 when both are 0
  grade: string; // "A" <= 1.25, "B" <= 2, "C" <= 8, "D"; never a licence
  digest: string; // 16 hex digits over the bytes of the output
}

export interface FindingPlace {
  at: number[]; // one index for each dimension
}

export interface Finding {
  code: FindingCode;
  name: string; // the output, argument or function that it is about: "out", "outs.0", "diopiAdd"
  count: number | null; // elements, bytes, calls
  of: number | null; // among how many
  place: FindingPlace | null; // of the first
  index: number | null; // of the first: flat, or as the code's text says
  got: string; // values as text, integers and bit patterns exactly
  expected: string;
  limit: string; // a tolerance, bound or limit
  off: string; // a distance or a factor
  word: string; // which one of the kinds that the code covers; findings with other words are other bugs
  exact: boolean; // as the code's text says
  said: string; // text of the library, of a user's file or of the system: shown as it is, never translated
  parts: Finding[]; // findings that explain or belong to this one
}

export interface Verdict {
  case_id: string;
  case_hash: string;
  outcome: Outcome;
  reason: string; // in words; made of `findings` and `cause` if there are any
  outputs: OutputStats[];
  call_us: Figure; // the last call of the case, synchronised; absent: there was none
  signal: string; // "SIGSEGV", crash only
  backtrace: string; // symbolised: of a crash, a timeout (all threads) or an exception
  error_code: number; // diopiError_t as returned
  error_text: string; // last-error string, or the text of an exception (`threw`)
  calls: number;
  reference: string; // provenance of the reference it was judged by, in words
  function: string;
  tensor_info: string; // "[(input, float32, (2, 3)), ...]" for error_report.csv
  variant: string; // of the function: "", "inplace", "backward" (Case.variant)
  dtype: Dtype;
  operator: string;
  contracts: string[]; // declared arithmetic that widened a tolerance of this case
  likely_cause: string; // in words, where the pattern of a failure is known; made of `cause`
  consistent_with: string[]; // Of likely_cause, the explanations that fit the outputs: "alpha taken as 1", "TF32 products"; made of `cause`.
  declarable: string; // of likely_cause, the contract to declare if the device computes so: "tf32"
  device_index: number | null; // the device it ran on; absent where the agent was given none
  elapsed_us: Figure; // From sending the case to the worker to its answer, with all calls and checks; absent: no worker had it.
  readings: string[]; // results beside the reference's own that were accepted: "rounded_scalars", "spread_nan", "opposite_signs"
  would_pass_under: string[]; // Contracts that the device does not declare and under which the failed outputs would pass: "native16".
  cause_confidence: Figure; // of likely_cause, 0 to 1; causes below 0.9 are left out
  threw: boolean; // the call threw a C++ exception
  waiver: string; // OUTCOME_WAIVED: the id of the waiver that covers the failure (RunProfile.Waiver)
  adapted: boolean; // reached through the adaptor (device profile, --four-bytes, --nhwc)
  conversions: string[]; // what the adaptor did, per tensor: "input float64 as float32"
  device_reference: string; // whose outputs it was graded against: "Acme 2.1"; empty: nobody's
  findings: Finding[]; // What was found, in the order of the reason. The texts that are made of it are not stored (cases/findings/describe.h).
  cause: Finding | null; // the likely cause
}

// Selects cases. Globs use * and ?; an empty list means all.
export interface Selection {
  functions: string[]; // operator names, function names or globs: add, diopiAdd, conv*
  cases: string[]; // case id globs
  dtypes: Dtype[];
  suite: string; // "core" when empty; "models/NAME,..." for the calls of models
  max_tensor_bytes: number; // models: scales calls until no tensor is larger; 0: 16 KiB
}

// |out - ref| <= atol + rtol |ref| for all elements except a share of mismatch_ratio.
export interface Tolerance {
  atol: Figure;
  rtol: Figure;
  mismatch_ratio: Figure; // 0 to 0.1
}

export interface RunProfileWaiver {
  id: string; // FILE:LINE in the profile; the reasons of verdicts begin with it
  match: string; // in words
  tolerance: Tolerance | null;
  reason: string;
  issue: string;
  expires: string;
  expired: boolean; // on the day the run began
}

export interface Variable {
  name: string;
  value: string;
}

// What a run stores about its profile.
export interface RunProfile {
  file: string; // name alone
  hash: string; // 32 hex digits over its text
  waiver: RunProfileWaiver[];
  skips: number; // rules
  adaptor: string[]; // rules in words: of the profile, of modes
  environment: Variable[]; // of the workers, as the profile has it
}

// What diopi-cli repro needs to repeat a case of the run. Paths are absolute.
export interface RunCommand {
  profile_path: string; // on the agent's machine, like the other paths
  device_lib: string;
  cases_folder: string; // of a user's own cases, on the server's machine; set by the server
  four_bytes: boolean;
  nhwc: boolean;
  nhwc_min_dim: number;
  sandbox_level: string; // strict, default, off; empty: default
  worker_memory: string; // bytes; 0: no limit
}

// as NVIDIA's driver describes it
export interface MachineGpu {
  name: string;
  driver: string; // its version
  memory_mib: number;
  power_limit_w: Figure;
  clock_mhz: Figure; // the highest of its processors
  memory_clock_mhz: Figure; // the highest of its memory
}

// The machine that a run's library was tested on, as its agent found it. Empty and 0: it does not say.
export interface Machine {
  system: string; // "Debian GNU/Linux 12 (bookworm)"
  kernel: string; // "Linux 6.1.0-28-amd64 x86_64"
  processor: string; // "AMD EPYC 9654 96-Core Processor"
  processors: number; // that are online, hardware threads included
  memory_bytes: number;
  gpus: MachineGpu[];
}

export interface ExplorationOptions {
  calls: number; // to make; 0: as many as the time allows
  seconds: Figure; // 0: until the calls are made
  seed: string;
  stop_on_first: boolean; // end with the first failure
}

export interface RunOptions {
  chip: string;
  impl_path: string;
  impl_sha256: string;
  vendor_name: string;
  impl_version: string;
  dialect: string;
  agent_version: string;
  host: string;
  selection: Selection | null;
  shuffle_seed: string; // 0: the suite's order
  repeat: number;
  timeout_s: Figure;
  contracts: string[];
  implemented: string[]; // ABI functions whose symbol the library exports
  shard_index: number;
  shard_count: number;
  whole_suite_hash: string; // Set by the server: the hash of the whole selection, before a shard of it is taken. Shards of one run share it.
  sandbox: string; // what the workers dropped and what they could not, in words
  owner: string; // set by the server: the owner of the token; "anyone" where none is required
  labels: Record<string, string>; // what the run is about: commit, branch, ticket, note, ... (server/store/labels.h)
  abort_reason: string; // set by the server: why it aborted the run by itself; empty: it did not
  profile: RunProfile | null; // the device profile and the adaptor of the run; unset: neither
  command: RunCommand | null; // what else a command that repeats a case needs
  machine: Machine | null; // unset: the agent was of a version that does not say
  exploration: ExplorationOptions | null; // set: an exploration, which has no cases and stands for no chip
}

// What a submitted run has besides its options. Until its first agent begins, the options' facts about the library are empty.
export interface Submission {
  require_sha256: string; // not empty: only this library may run it
  upload_name: string; // not empty: the library came with the request, under this name
  upload_sha256: string;
  upload_bytes: number;
  note: string; // why it was aborted
  exit_code: number; // of an aborted run, as diopi-agent's
  cancelled: boolean; // by a user
}

export interface ExplorationFunction {
  name: string;
  calls: number; // judged
  failures: number; // of these
  classes: number; // of arguments that its calls had
  pairs: number; // of such classes
}

export interface ExplorationCause {
  key: string; // of its group of failures
  outcome: Outcome;
  cause: string;
  operators: string[];
  calls: number; // that failed for it
  example: string; // case id of the call in the file
  reason: string; // of its verdict
  file: string; // the operator file's name
  text: string; // its text, for --cases; empty: not stored, because the files were too large together
  command: string; // that repeats the example
  known: boolean; // an earlier exploration had found it
  finding: Finding | null; // what `cause` says; absent: an agent up to 0.9 recorded texts alone
  findings: Finding[]; // What `reason` is made of: the findings and the likely cause of the verdict.
  likely_cause: Finding | null;
}

// What it has done so far.
export interface Exploration {
  calls: number; // judged
  seconds: Figure;
  outcomes: Record<string, number>; // of these calls
  functions: ExplorationFunction[]; // all that were selected, by name
  refused: number; // calls that the reference refused; they are not judged
  false_alarms: Figure; // expected of a correct library, at most
  given_up: string[]; // functions that were left alone after many failures
  causes: ExplorationCause[]; // the most frequent first
  functions_called: number; // that had a call judged
  classes: number; // summed over the functions
  pairs: number;
}

export interface RunInfo {
  run_id: string;
  options: RunOptions | null;
  state: RunState;
  created: string; // RFC 3339, UTC
  finished: string;
  cases: number;
  done: number;
  outcomes: Record<string, number>;
  suite_hash: string;
  submission: Submission | null; // of a run that was submitted to standing agents
  exploration: Exploration | null; // of an exploration; lists leave out its functions and the texts of its files
}

// Over which runs times were compared, or why they were not.
export interface RunComparisonTimes {
  kind: TimesKind;
  runs_a: number; // finished runs of A's library on A's machine
  runs_b: number;
  needed: number; // of each, at least
}

export interface RunComparison {
  identity: RunComparisonPart[]; // parts of the identity that differ; empty: the runs are of one variant
  judged: RunComparisonPart[]; // what else differs and may have changed verdicts
  times: RunComparisonTimes | null;
}
