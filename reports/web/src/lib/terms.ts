// What the figures and columns mean: one wording for every table that has them.
export const TERMS = {
  max_z:
    'The largest error of an element, in units of the rounding noise that a correct float32 computation has there. About 8 or more is wrong.',
  rms_z: 'The root mean square of the errors, in the same units as max z.',
  max_ulp:
    'The largest error of an element, in units in the last place of the output’s dtype: 0.5 is correct rounding.',
  max_abs: 'The largest absolute error of an element.',
  max_rel: 'The largest error of an element relative to the expected value.',
  rmse: 'The root-mean-square error over all elements.',
  rmse_ideal: 'The root-mean-square error of a perfectly rounded result.',
  bias: 'The mean signed error in units of rounding noise. Far from 0, results are rounded in one direction.',
  beyond: 'The share of elements whose error exceeds the tolerance.',
  time: 'How long the last call took, including synchronisation. One call: a rough figure.',
  grade:
    'The error compared with that of the device reference: A up to 1.25 times as large, B up to 2, C up to 8, D more.',
  public:
    'The verdict of the public harness’s rule on the same output. It is shown for comparison and never decides; ≠ marks a difference.',
  outcome: 'The verdict on the case.',
  reason: 'Why the case has this verdict.',
  passing: 'Functions of the ABI for which every tested case passes.',
  exported: 'Functions of the ABI whose symbol the library exports.',
  tested:
    'Functions for which at least one case was called. The suite does not have cases for every function yet.',
  correctness: 'Share of the called cases that pass.',
  failed:
    'Cases that fail: wrong results, errors, crashes, timeouts, memory faults and results that differ between calls.',
  other:
    'Cases that were not implemented, not supported for the dtype, skipped, waived, or failed in the harness itself.',
  passed: 'Cases that pass, out of all cases of the operator.',
  outcomes: 'The outcomes of all cases as a bar; empty: no verdict yet.',
  badges:
    'Contracts that the device declares, which widen tolerances, and observations such as ftz: subnormal results flushed to zero.',
  library: 'The version that the library reports, and the SHA-256 of its file.',
  state:
    'queued: not started; running; stalled: no heartbeat from its agent; finished; aborted: ended before all cases ran.',
  changes: 'How often the outcome differed from the previous run of the same library.',
  flaky_runs: 'Runs of the library that called the case.',
  group_cases: 'Number of cases that fail in this way, with a link to them.',
  group_operators: 'Operators whose cases fail in this way.',
  group_dtypes: 'Element types of these cases.',
  cause:
    'The likely cause, where the pattern of the failure is known; otherwise what was observed, with N for numbers that differ between cases.',
  kind: 'How the case differs between the two runs.',
  factor: 'Error of B over that of A; for slower and faster, the median time of B’s runs over that of A’s.',
  model: 'The calls that a model makes in training or inference, captured or derived from its architecture.',
  ready: 'Ready: all calls of the model pass in the newest run of its whole suite.',
  family: 'Family of operators that the function belongs to.',
} as const;
