// Made-up answers of the JSON API for sizes that would take a test too long: a run of many cases.
import type {
  CasePage,
  ChipPage,
  ChipRow,
  Dtype,
  Failures,
  Machine,
  Outcome,
  OutputStats,
  RunPage,
  RunSummary,
} from '../src/api/messages';
import type { OutcomeCounts } from '../src/lib/outcomes';

const OPERATORS = [
  'add',
  'conv2d',
  'softmax',
  'layer_norm',
  'matmul',
  'gelu',
  'index_put',
  'adamw',
  'sort',
  'cumsum',
];
const DTYPES: Dtype[] = ['float16', 'bfloat16', 'float32', 'float64', 'int32', 'int64', 'bool'];
export const COLUMNS = [
  ...[
    'case_id',
    'operator',
    'function',
    'dtype',
    'outcome',
    ...['reason', 'findings', 'cause'],
    'call_us',
    'max_ulp',
    'max_z',
    'rms_z',
  ],
  ...['max_abs', 'max_rel', 'mismatch_ratio', 'grade', 'public_pass', 'gates', 'device_index'],
];

function outcomeAt(i: number): Outcome {
  if (i % 97 === 0) return 'fail';
  if (i % 1501 === 0) return 'crash';
  if (i % 211 === 0) return 'not_implemented';
  return 'pass';
}

// Some take several lines.
function reasonAt(i: number): string {
  const text = `out: ${i % 40} of 4096 elements beyond the tolerance`;
  return i % 2 === 0
    ? text
    : `${text}, ${'the library says: /opt/vendor/lib: no kernel for it; '.repeat(1 + (i % 7))}end`;
}

export function caseRow(i: number): unknown[] {
  const operator = OPERATORS[i % OPERATORS.length] ?? '';
  const dtype = DTYPES[Math.floor(i / 10) % DTYPES.length] ?? '';
  const outcome = outcomeAt(i);
  const measured = outcome === 'pass' || outcome === 'fail';
  const z = outcome === 'fail' ? 40 + (i % 900) : (i % 300) / 100;
  return [
    `${operator}.${dtype}.point_${String(i).padStart(5, '0')}`,
    operator,
    `diopi${operator}`,
    dtype,
    outcome,
    ...[outcome === 'fail' ? reasonAt(i) : '', [], null],
    20 + (i % 77),
    measured ? z / 2 : null,
    measured ? z : null,
    measured ? z / 4 : null,
    measured ? z * 1e-7 : null,
    measured ? z * 1e-6 : null,
    outcome === 'fail' ? (i % 40) / 4096 : measured ? 0 : null,
    null,
    measured ? outcome === 'pass' : null,
    outcome === 'fail' ? 'P' : '',
    null,
  ];
}

export function summary(cases: number): RunSummary {
  const outcomes: OutcomeCounts = {};
  for (let i = 0; i < cases; ++i) outcomes[outcomeAt(i)] = (outcomes[outcomeAt(i)] ?? 0) + 1;
  const passed = outcomes.pass ?? 0;
  const failed = (outcomes.fail ?? 0) + (outcomes.crash ?? 0);
  return {
    run_id: 'large',
    chip: 'fixture',
    vendor_name: 'vendor',
    impl_version: '1.0',
    impl_sha256: '0123456789abcdef'.repeat(4),
    impl_path: '/opt/vendor/libdiopi_impl.so',
    suite_hash: 'fedcba9876543210',
    state: 'finished',
    created: '2026-01-02T03:04:05Z',
    finished: '2026-01-02T03:14:05Z',
    host: 'lab',
    agent_version: '0.1.0',
    environment: ['ACME_MATH=fast'],
    adaptor: [],
    labels: { commit: '0123456789abcdef0123', branch: 'faster-add', pipeline: 'https://ci.example/7' },
    dialect: 'current',
    contracts: ['tf32'],
    badges: ['ftz'],
    cases,
    done: cases,
    outcomes,
    coverage: { abi_functions: 538, implemented: 200, selected: 10, with_cases: 138, tested: 9, passing: 3 },
    correctness: { called: passed + failed, passed, asked: cases },
    failed,
    widened: 12,
    references: ['oracle cpu float64'],
    waivers_in_force: 0,
    partial: null,
    ...{ abort_reason: null, partial_found: null, abort_reason_found: null },
    variant: '0a1b2c3d',
  };
}

// As an agent describes one with GPUs.
const GPU = {
  ...{ name: 'NVIDIA H100 80GB HBM3', driver: '550.54.15', memory_mib: 81559 },
  ...{ power_limit_w: 700, clock_mhz: 1980, memory_clock_mhz: 2619 },
};
export const MACHINE: Machine = {
  system: 'Debian GNU/Linux 12 (bookworm)',
  kernel: 'Linux 6.1.0-28-amd64 x86_64',
  processor: 'AMD EPYC 9654 96-Core Processor',
  processors: 192,
  memory_bytes: 540_573_122_560,
  gpus: [GPU, GPU],
};

export function runPage(cases: number): RunPage {
  const operators = OPERATORS.map((operator) => {
    const row = { operator, cases: 0, passed: 0, failed: 0, not_implemented: 0, other: 0 };
    for (let i = 0; i < cases; ++i) {
      if (OPERATORS[i % OPERATORS.length] !== operator) continue;
      const outcome = outcomeAt(i);
      row.cases += 1;
      if (outcome === 'pass') row.passed += 1;
      else if (outcome === 'not_implemented') row.not_implemented += 1;
      else row.failed += 1;
    }
    return row;
  });
  return {
    ...summary(cases),
    options: {
      repeat: 1,
      shuffle_seed: '0',
      timeout_s: 30,
      selection: 'all of suite core',
      suite: 'core',
      ...{ sandbox: '', owner: '', shard_index: 0, shard_count: 0 },
      ...{ selection_found: null, sandbox_found: null, workers_word_found: null },
      workers_word:
        'leaks, results that differ from call to call, checks of the library as a whole, times: the library can answer for the worker, and the agent observes all else itself',
    },
    operators,
    waivers: [],
    public_rule: { judged: cases, ours_alone: 3, theirs_alone: 1 },
    devices: [],
    submission: null,
    exploration: null,
    machine: MACHINE,
    ...{ adaptor_found: [], measured_calls: 0 },
  };
}

// Its histogram: many exact elements, and single ones far off.
function output(): OutputStats {
  const counts = Array<number>(24).fill(0);
  [counts[0], counts[9], counts[14]] = [4094, 1, 1];
  return {
    ...{ key: 'out', dtype: 'float32', shape: [4096], ok: false, gates: 'P', detail: '', digest: '' },
    ...{ elements: 4096, mismatches: 2, soft: 0, nan_actual: 0, inf_actual: 0, flushed: 0 },
    ...{ max_ulp: 1024, max_z: 40, rms_z: 2, max_abs: 1, max_rel: 1, rmse: 0.1, rmse_ideal: 1e-8, bias: 0 },
    ...{ radial_bias: 0, zero_fraction: 0, groups: 4096, argmax: 0, leaning: 0 },
    ...{ rms_z_device: null, rmse_device: null, rmse_ratio: null, grade: '' },
    ulp_histogram: counts,
    first: [],
    public_pass: false,
    public_mismatch_ratio: 2 / 4096,
  };
}

// Failures by operator; one cause has the greatest possible length.
export function failures(cases: number): Failures {
  const ids = (operator: string) =>
    Array.from({ length: cases }, (_, i) => i)
      .filter((i) => outcomeAt(i) === 'fail' && caseRow(i)[1] === operator)
      .map((i) => String(caseRow(i)[0]));
  const groups = OPERATORS.map((operator, i) => ({
    key: `0000000${i}`,
    outcome: 'fail' as const,
    cause:
      i === 0 ? `out: N of N elements beyond the tolerance, ${'a long cause '.repeat(20)}end` : 'out: wrong',
    finding: null,
    diagnosed: i % 2 === 1,
    operators: i === 1 ? [operator, ...OPERATORS.slice(2, 8)] : [operator],
    functions: [`diopi${operator}`],
    dtypes: DTYPES.slice(0, i === 1 ? 7 : 2),
    cases: ids(operator).length,
    case_ids: ids(operator),
    example: {
      case_id: ids(operator)[0] ?? '',
      ...{ reason: 'out: 3 of 4096', findings: [], cause: null },
      ...{ repro: 'diopi-cli repro x --impl lib.so', reveals: i === 0 ? 'the variance in one pass' : '' },
    },
    separation: i === 0 ? { code: 'separated_by' as const, got: 'float16, offset', limit: '97' } : null,
  })).filter((group) => group.cases > 0);
  return { run_id: 'large', state: 'finished', cases: groups.reduce((sum, g) => sum + g.cases, 0), groups };
}

export function casePage(i: number): CasePage {
  const row = caseRow(i);
  const outcome = outcomeAt(i);
  return {
    run_id: 'large',
    chip: 'fixture',
    case_id: String(row[0]),
    case_hash: '00ff00ff00ff00ff',
    function: String(row[2]),
    operator: String(row[1]),
    dtype: String(row[3]) as CasePage['dtype'],
    outcome,
    ...{ reason: String(row[5]), findings: [], cause: null },
    ...{ likely_cause: '', consistent_with: [], declarable: '', cause_confidence: 0, would_pass_under: [] },
    ...{ contracts: [], readings: [], waiver: '', adapted: false, conversions: [], threw: false },
    ...{ reference: 'oracle cpu float64', device_reference: '', tensor_info: '', variant: '' },
    call_us: 20,
    elapsed_us: 900,
    calls: 1,
    device_index: null,
    signal: '',
    backtrace: '',
    error_code: 0,
    error_text: '',
    arguments: null,
    reveals: null,
    repro: `diopi-cli repro ${String(row[0])} --impl libdiopi_impl.so`,
    outputs: outcome === 'fail' ? [output()] : [],
  };
}

// Newest first: a partial run and an aborted one, which are not points of the trend, and two
// complete ones.
export function chipRuns(cases: number): RunSummary[] {
  const run = (run_id: string, partial: string | null, more: Partial<RunSummary> = {}): RunSummary => ({
    ...summary(cases),
    run_id,
    partial,
    ...more,
  });
  return [
    run('one-operator', 'functions add of suite core', { cases: 12, done: 12 }),
    run('cut-short', 'aborted after 305 of 841 cases', { state: 'aborted', done: 305 }),
    run('lost', 'stalled after 20 of 841 cases', { state: 'stalled', done: 20 }),
    run('large', null),
    run('older', null, { created: '2026-01-01T03:04:05Z' }),
  ];
}

export function chipPage(cases: number): ChipPage {
  const runs = chipRuns(cases);
  return {
    chip: 'fixture',
    latest: runs[0] ?? summary(cases),
    complete: summary(cases),
    runs,
    heat: { run_id: 'large', operators: OPERATORS, dtypes: DTYPES, cells: [] },
    machine: MACHINE,
    flaky: [],
    known: [],
  };
}

export function chipRow(cases: number): ChipRow {
  const { chip, latest, complete, runs } = chipPage(cases);
  const trend = runs.filter((run) => run.partial === null).reverse();
  return { chip, vendor_name: 'vendor', runs: runs.length, latest, complete, trend, known: null };
}
