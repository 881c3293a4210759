// A made-up lab: chips side by side, failures by cause, agents in every state.
import type { AgentRow, ChipRow, CoverageCell, CoveragePage, LabPage, ModelsPage } from '../src/api/messages';
import { chipRow, summary } from './fixture_run';

const CAUSE = '=SUM("reads past the end of a row, by N elements")'; // what a spreadsheet would calculate

export function lab(cases: number): LabPage {
  const run = summary(cases);
  const green = {
    ...run,
    run_id: 'green',
    created: '2026-01-01T03:04:05Z',
    failed: 0,
    outcomes: { pass: cases },
  };
  const changes = Array.from({ length: 6 }, (_, i) => ({
    operator: `operator_${i}`,
    before: { cases: 40, passed: 40, failed: 0 },
    now: { cases: 40, passed: 30 - i, failed: 10 + i },
  }));
  return {
    chips: [
      { chip: 'fixture', run, green, runs_since: 3, changes },
      { chip: 'new chip', run: { ...run, chip: 'new chip' }, green: null, runs_since: 1, changes: [] },
      { chip: 'good', run: green, green, runs_since: 0, changes: [] },
    ],
    operators: [
      {
        operator: 'add',
        cells: [{ cases: 40, passed: 30, failed: 10 }, null, { cases: 40, passed: 40, failed: 0 }],
      },
      {
        operator: 'softmax',
        cells: [{ cases: 9, passed: 4, failed: 0 }, null, { cases: 9, passed: 9, failed: 0 }],
      },
    ],
    failures: [
      {
        key: '0a1b2c3d',
        outcome: 'fail',
        cause: CAUSE,
        finding: null,
        diagnosed: true,
        operators: ['add', 'mul', 'sub'],
        cases: 75,
        chips: [
          { chip: 'fixture', run_id: 'large', cases: 70, example: 'add.float32.p0' },
          { chip: 'new chip', run_id: 'large', cases: 5, example: 'add.float32.p1' },
        ],
      },
    ],
  };
}

// A lab of many chips: every third has no complete run.
const CHIPS = Array.from({ length: 114 }, (_, i) => `chip ${String(i + 1).padStart(3, '0')}`);
const isPartial = (i: number) => i % 3 === 2;

export function manyChips(cases: number): ChipRow[] {
  const known = { tested: 9, passing: 3, oldest: '2026-01-01T03:04:05Z', newest: '2026-01-02T03:04:05Z' };
  return CHIPS.map((chip, i) => {
    const row = { ...chipRow(cases), chip };
    const run = summary(cases);
    if (isPartial(i)) return { ...row, complete: null, trend: [], known };
    return { ...row, complete: { ...run, chip, coverage: { ...run.coverage, passing: i } } };
  });
}

export function manyLab(cases: number): LabPage {
  const { chips, operators, failures } = lab(cases);
  const [first] = chips;
  return {
    chips: first ? CHIPS.map((chip, i) => ({ ...first, chip, run: isPartial(i) ? null : first.run })) : [],
    operators: operators.map((row) => ({
      ...row,
      cells: CHIPS.map((_, i) => (isPartial(i) ? null : (row.cells[0] ?? null))),
    })),
    failures: failures.map((failure) => ({
      ...failure,
      chips: CHIPS.map((chip) => ({ chip, run_id: 'large', cases: 1, example: 'add.float32.p0' })),
    })),
  };
}

export function manyCovered(): CoveragePage {
  const cell = (i: number): CoverageCell => ({
    ...{ implemented: true, tested: true, cases: 4, passed: i % 2 === 0 ? 4 : 3 },
    ...{ run_id: 'large', created: '2026-01-02T03:04:05Z' },
  });
  const cells = CHIPS.map((_, i) => (isPartial(i) ? null : cell(i)));
  const functions = ['diopiAdd', 'diopiSub'].map((name) => ({
    ...{ name, header: 'functions.h', family: 'elementwise', cells },
  }));
  return { chips: CHIPS, abi_functions: 538, functions };
}

export function manyModels(): ModelsPage {
  const cell = (i: number) => ({
    ...{ run_id: 'large', ready: i === 0, passes_scaled: i === 1, max_tensor_bytes: 16384 },
    ...{ calls: 9, passing: i < 2 ? 9 : 7, failing: i < 2 ? 0 : 2, not_implemented: 0, not_judged: 0 },
    ...{ scaled: i === 0 ? 0 : 5, failing_functions: i < 2 ? [] : ['diopiAdd'], missing_functions: [] },
  });
  return {
    chips: CHIPS,
    models: [
      { name: 'crnn', summary: 'reads text', summary_found: null, cells: CHIPS.map((_, i) => cell(i)) },
    ],
  };
}

export function agents(): AgentRow[] {
  const agent = (name: string, state: AgentRow['state'], more: Partial<AgentRow> = {}): AgentRow => ({
    agent_id: name,
    chip: 'fixture',
    host: 'lab',
    agent_version: '0.1.0',
    vendor_name: 'vendor',
    impl_version: '1.0',
    impl_sha256: '0123456789abcdef'.repeat(4),
    takes_uploads: false,
    state,
    since: '2026-01-02T03:04:05Z',
    seen: '2026-01-02T03:14:05Z',
    ...{ health: '', health_found: null },
    run_id: null,
    cases: null,
    done: null,
    ...more,
  });
  return [
    agent('lab-1', 'online', { health: 'add passes' }),
    agent('lab-2', 'busy', { run_id: 'large', cases: 40, done: 12 }),
    agent('lab-3', 'unhealthy', { health: 'add fails: the device returned zeros' }),
    agent('lab-4', 'lost'),
  ];
}
