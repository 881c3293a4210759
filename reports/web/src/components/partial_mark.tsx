import type { RunSummary } from '../api/types';
import { isLive } from '../lib/state';
import { Explained } from './tips';

// Marks a run that does not stand for its chip, and says why. A run in progress has its state as
// the mark.
export function PartialMark({ run, inFull = false }: { run: RunSummary; inFull?: boolean }) {
  if (run.partial === null || isLive(run.state)) return null;
  return (
    <span class="mark tone-note">
      <Explained says={`This run does not stand for its chip: ${run.partial}`}>◐ partial</Explained>
      {inFull && <span class="partial-why">: {run.partial}</span>}
    </span>
  );
}
