import { look, meaning } from '../lib/outcomes';

// An outcome as a sign and a word.
export function OutcomeMark({ outcome, short = false }: { outcome: string; short?: boolean }) {
  const { label, sign, tone } = look(outcome);
  return (
    <span class={`mark tone-${tone}`} title={`${label}: ${meaning(outcome)}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class={short ? 'visually-hidden' : 'word'}>{label}</span>
    </span>
  );
}
