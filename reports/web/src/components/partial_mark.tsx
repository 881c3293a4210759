import type { RunSummary } from '../api/messages';
import { textOr } from '../lib/findings';
import { t } from '../lib/i18n';
import { isLive } from '../lib/state';
import { Explained } from './tips';

// Marks a run that does not stand for its chip, and says why. A run in progress has its state as
// the mark.
export function PartialMark({ run, inFull = false }: { run: RunSummary; inFull?: boolean }) {
  if (run.partial === null || isLive(run.state)) return null;
  const why = textOr(run.partial_found, run.partial);
  return (
    <span class="mark tone-note">
      <Explained says={t('partial.why', { why })}>◐ {t('partial.mark')}</Explained>
      {inFull && <span class="partial-why">: {why}</span>}
    </span>
  );
}
