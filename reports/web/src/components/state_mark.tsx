import type { RunState } from '../api/messages';
import { t } from '../lib/i18n';

const SIGNS: Record<RunState, string> = {
  queued: '◔',
  running: '▶',
  stalled: '⏸',
  finished: '■',
  aborted: '⊘',
};

export function StateMark({ state }: { state: RunState }) {
  return (
    <span class={`state state-${state}`}>
      <span aria-hidden="true">{SIGNS[state] ?? '?'}</span> {state in SIGNS ? t(`state.${state}`) : state}
    </span>
  );
}
