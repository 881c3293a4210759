import type { RunState } from '../api/messages';

// Whether the run may still get verdicts: a stalled one can be resumed.
export const isLive = (state: RunState | undefined): boolean =>
  state === 'running' || state === 'queued' || state === 'stalled';
