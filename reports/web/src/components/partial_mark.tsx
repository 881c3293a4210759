import type { RunSummary } from '../api/messages';
import { t } from '../lib/i18n';
import { recorded } from '../lib/recorded';
import { isLive } from '../lib/state';
import { Explained } from './tips';

// Marks a run that does not stand for its chip, and says why. A run in progress has its state as
// the mark.
export function PartialMark({ run, inFull = false }: { run: RunSummary; inFull?: boolean }) {
  if (run.partial === null || isLive(run.state)) return null;
  return (
    <span class="mark tone-note">
      <Explained says={t('partial.why', { why: recorded(run.partial) })}>◐ {t('partial.mark')}</Explained>
      {inFull && <span class="partial-why">: {recorded(run.partial)}</span>}
    </span>
  );
}
