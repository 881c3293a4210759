import { count } from '../lib/format';
import { t } from '../lib/i18n';
import { OUTCOMES, OUTCOME_ORDER, type OutcomeCounts } from '../lib/outcomes';

// The outcomes of a run as one stacked bar; cases without a verdict stay empty.
export function OutcomeBar({ outcomes, cases }: { outcomes: OutcomeCounts; cases: number }) {
  const present = OUTCOME_ORDER.filter((outcome) => (outcomes[outcome] ?? 0) > 0);
  const words = present.map((outcome) => `${OUTCOMES[outcome].label} ${count(outcomes[outcome])}`).join(', ');
  const of = Math.max(1, cases);
  return (
    <div
      class="outcome-bar"
      role="img"
      aria-label={words || t('outcome.no_verdict')}
      title={words || t('outcome.no_verdict')}
    >
      {present.map((outcome) => (
        <span
          key={outcome}
          class={`fill-${OUTCOMES[outcome].tone}`}
          style={{ width: `${(100 * (outcomes[outcome] ?? 0)) / of}%` }}
        />
      ))}
    </div>
  );
}
