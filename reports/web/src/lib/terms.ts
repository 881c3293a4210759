// What the figures and columns mean: one wording for every table that has them.
export const TERMS = {
  max_z:
    'The largest error of an element, in units of the rounding noise that a correct float32 computation has there. About 8 and more is wrong.',
  rms_z: 'The root-mean-square of the errors, in the same units as max z.',
  max_ulp:
    'The largest error of an element, in units in the last place of the output’s dtype: 0.5 is correct rounding.',
  max_abs: 'The largest absolute error of an element.',
  max_rel: 'The largest error of an element relative to the expected value.',
  rmse: 'The root-mean-square error over all elements.',
  rmse_ideal: 'The root-mean-square error of a perfectly rounded result.',
  bias: 'The mean signed error: far from 0, results are rounded in one direction.',
  beyond: 'The share of elements whose error exceeds the tolerance.',
  time: 'How long the last call took, including synchronisation. One call: a rough figure.',
  grade:
    'The error beside that of the device reference: A is up to 1.25 times as large, B up to 2, C up to 8, D larger.',
  public:
    'The verdict of the public harness’s rule on the same output. It is shown for comparison and never decides; ≠ marks a difference.',
  outcome: 'The verdict on the case.',
  reason: 'Why the case has this verdict.',
  passing: 'Functions of the ABI of which every tested case passes.',
  exported: 'Functions of the ABI whose symbol the library exports.',
  tested:
    'Functions of which at least one case was called. The suite does not have cases of every function yet.',
  correctness: 'Of the cases in which the library was called, the share that passes.',
  failed:
    'Cases that fail: wrong results, errors, crashes, timeouts, memory faults and results that differ between calls.',
  other:
    'Cases that were not implemented, not supported for the dtype, skipped, waived, or failed in the harness itself.',
  passed: 'Cases that pass, of all cases of the operator.',
  outcomes: 'The outcomes of all cases as a bar; empty: no verdict yet.',
  badges:
    'Contracts that the device declares and that widen tolerances, and what was observed, such as ftz: subnormal results flushed to zero.',
  library: 'The version that the library reports, and the SHA-256 of its file.',
  state:
    'queued: not started; running; stalled: no sign of life from its agent; finished; aborted: ended before all cases were run.',
  changes: 'How often the outcome differed from the run before, under the same library.',
  flaky_runs: 'Runs of that library which called the case.',
  group_cases: 'How many cases fail in this way; the number leads to them.',
  group_operators: 'Operators whose cases fail in this way.',
  group_dtypes: 'Element types of these cases.',
  cause:
    'The likely cause where the pattern of the failure is known; otherwise what was seen, with N for numbers that differ between the cases.',
  kind: 'How the case differs between the two runs.',
  factor: 'Error of B over that of A; for slower and faster, the median time of B’s runs over that of A’s.',
  family: 'The group of operators that the function belongs to in the suite.',
} as const;
