import type { RunState } from '../api/types';

const LOOKS: Record<RunState, [string, string]> = {
  queued: ['◔', 'queued'],
  running: ['▶', 'running'],
  stalled: ['⏸', 'stalled'],
  finished: ['■', 'finished'],
  aborted: ['⊘', 'aborted'],
};

export function StateMark({ state }: { state: RunState }) {
  const [sign, word] = LOOKS[state] ?? ['?', state];
  return (
    <span class={`state state-${state}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}
