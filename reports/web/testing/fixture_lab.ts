// A made-up lab: chips side by side, failures by cause, agents in every state.
import type { AgentRow, LabPage } from '../src/api/messages';
import { summary } from './fixture_run';

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
    health: '',
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
