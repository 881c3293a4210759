import type { RunSummary } from '../api/messages';
import { Link } from '../components/link';
import { PartialMark } from '../components/partial_mark';
import { StateMark } from '../components/state_mark';
import { ago } from '../lib/format';
import { rich, t } from '../lib/i18n';
import { to } from '../lib/router';

// A newer run that is partial and does not represent the chip.
export function NewerRun({ shown, latest }: { shown: RunSummary; latest: RunSummary }) {
  if (latest.run_id === shown.run_id) return null;
  return (
    <p class="small">
      {rich('chip.newer', {
        run: <Link href={to.run(latest.run_id)}>{t('chip.latest_run')}</Link>,
        ago: ago(latest.created),
        state: <StateMark state={latest.state} />,
      })}{' '}
      <PartialMark run={latest} inFull />
    </p>
  );
}
