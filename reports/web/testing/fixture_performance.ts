// Made-up answers of the JSON API for a run that measured its calls.
import type {
  Call,
  CallChange,
  ChipPerformance,
  Dtype,
  Performance,
  PerformanceComparison,
  RunPage,
  StepTotal,
} from '../src/api/messages';
import type { MeasuredCall } from '../src/lib/performance';
import { runPage } from './fixture_run';

export const MEASURED = 'measured';
export const FORMER = 'measured-before';
const REASON = 'the case fails: out: 3 of 4096 elements beyond the tolerance';

const FUNCTIONS: [string, number][] = [
  ['diopiMatmul', 120],
  ['diopiConvolution2d', 60],
  ['diopiSoftmax', 2],
  ['diopiLayerNorm', 1.5],
  ['diopiAdd', 0.2],
  ['diopiCopyInp', 0], // a copy: no operations
];
const DTYPES: Dtype[] = ['float16', 'bfloat16', 'float32'];
const PEAK: Record<string, number> = { float16: 2.4e14, bfloat16: 2.4e14, float32: 1.6e13 };
const BYTES_PER_S = 1.55e12;

// Its time is twice to five times the least that its roof allows.
function callAt(i: number): Call {
  const [name, intensity] = FUNCTIONS[i % FUNCTIONS.length] ?? ['', 0];
  const dtype = DTYPES[Math.floor(i / FUNCTIONS.length) % DTYPES.length] ?? 'float32';
  const size = 64 << (i % 7);
  const bytes = 3 * size * size * 4;
  const operations = bytes * intensity;
  const work = {
    case: `${name}.${dtype}.size_${size}.${i}`,
    judged_case: `add.${dtype}.point_${String(i).padStart(5, '0')}`,
    ...{ function: name, dtype, shapes: `(${size}, ${size}) (${size}, ${size})`, kernel: '' },
    ...{ read_bytes: (bytes * 2) / 3, written_bytes: bytes / 3, operations, not_measured_found: null },
  };
  if (i === 14) return { ...work, not_measured: REASON };
  const least = Math.max(bytes / BYTES_PER_S, operations / (PEAK[dtype] ?? 1));
  const us = 1e6 * least * (2 + (i % 4)) + 3;
  const measured: MeasuredCall = {
    ...work,
    clock: i % 9 === 0 ? 'host' : 'device',
    us: { median: us, low: us * 0.98, high: us * 1.03 },
    cold_us: intensity === 0 ? null : us * 1.4,
    ...{
      first_us: us * 40 + 900,
      submit_us: 4,
      round_medians_us: [us, us * 1.02, us * 0.99],
      disturbed: i % 3,
    },
    bytes_per_s: bytes / (us * 1e-6),
    operations_per_s: operations > 0 ? operations / (us * 1e-6) : null,
    roofline_share: (1e6 * least) / us,
    bound: operations / (PEAK[dtype] ?? 1) > bytes / BYTES_PER_S ? 'compute' : 'memory',
    reference_us: i % 2 === 0 ? us * 0.8 : null,
    score: i % 2 === 0 ? 0.8 : null,
  };
  return measured;
}

function step(
  model: string,
  stage: string,
  calls: number,
  measured: number,
  parts: [string, number][],
): StepTotal {
  const us = parts.reduce((sum, [, part]) => sum + part, 0);
  const operators_us = Object.fromEntries(parts);
  return { model, stage, us, low_us: us * 0.97, high_us: us * 1.04, calls, measured, operators_us };
}

export const steps = (): StepTotal[] => [
  step('gpt2', 'decode', 31, 31, [
    ...([
      ['matmul', 610],
      ['layer_norm', 120],
      ['softmax', 90],
      ['gelu', 60],
    ] as [string, number][]),
    ...([
      ['add', 45],
      ['embedding', 20],
      ['transpose', 12],
      ['cast', 8],
    ] as [string, number][]),
  ]),
  step('gpt2', 'prefill', 31, 29, [
    ...([
      ['matmul', 9100],
      ['softmax', 2100],
      ['layer_norm', 700],
      ['gelu', 650],
    ] as [string, number][]),
    ...([
      ['add', 310],
      ['transpose', 160],
    ] as [string, number][]),
  ]),
  step('resnet50', '', 58, 58, [
    ...([
      ['conv2d', 71000],
      ['batch_norm', 15200],
      ['relu', 5100],
      ['add', 3000],
    ] as [string, number][]),
    ...([
      ['max_pool2d', 1400],
      ['matmul', 500],
    ] as [string, number][]),
  ]),
  step('vit', '', 40, 0, []),
];

function comparison(against: string, calls: MeasuredCall[]): PerformanceComparison {
  const changes = calls.slice(0, 24).map((call, i): CallChange => {
    const change = call.function === 'diopiSoftmax' ? 'slower' : i === 4 ? 'faster' : '';
    const ratio = change === 'slower' ? 1.62 : change === 'faster' ? 0.7 : 1 + (i % 5) / 100;
    const { median, low, high } = call.us;
    return {
      ...{ case: call.case, function: call.function, after_us: call.us, change },
      before_us: { median: median / ratio, low: low / ratio, high: high / ratio },
      ...{ ratio, low: ratio * 0.95, high: ratio * 1.05, p: change === '' ? 1 : 0.00031 },
    };
  });
  return {
    ...{ against, shared: 1.02, noise: 1.04, factor: 1.1, slower: ['diopiSoftmax'], faster: ['diopiAdd'] },
    calls: changes,
  };
}

export function performance(against: string | null): Performance {
  const calls = Array.from({ length: 60 }, (_, i) => callAt(i));
  const timed = calls.filter((call): call is MeasuredCall => call.not_measured === undefined);
  return {
    run_id: MEASURED,
    chip: 'fixture',
    machine: {
      processor: 'Vendor X1 80GB',
      copy_bytes_per_s: 1.4e12,
      products: [{ dtype: 'float16', operations_per_s: 2e14, call: 'diopiMatmul (4096, 4096)' }],
      launch_us: 6.2,
      ...{ state: ['governor performance', 'load 0.4 on 64 processors'], state_found: [] },
    },
    roofline: {
      ...{ source: 'specification of the X1', source_found: null },
      ...{ bytes_per_s: BYTES_PER_S, operations_per_s: PEAK },
    },
    ...{ reference: 'NVIDIA A100', noise: 1.04, samples: 2360, disturbed: 17, calls, steps: steps() },
    ...(against === null ? {} : { comparison: comparison(against, timed) }),
  };
}

export function chipPerformance(chip: string): ChipPerformance {
  if (chip !== 'fixture') return { chip, runs: [] };
  const runs = ['measured-first', FORMER, MEASURED].map((run_id, i) => ({
    run_id,
    created: `2026-01-0${i + 1}T03:04:05Z`,
    ...{
      vendor_name: 'vendor',
      impl_version: `1.${i}`,
      impl_sha256: `${i}`.repeat(64),
      calls: 60,
      measured: 59,
    },
    steps: steps().map(({ model, stage, us, low_us, high_us, calls, measured, operators_us }) => {
      const factor = 1.3 - 0.15 * i;
      return {
        ...{ model, stage, calls, measured, operators_us, us: us * factor },
        low_us: low_us * factor,
        high_us: high_us * factor,
      };
    }),
  }));
  return { chip, runs };
}

export const measuredRun = (cases: number): RunPage => ({
  ...runPage(cases),
  run_id: MEASURED,
  measured_calls: 59,
});
