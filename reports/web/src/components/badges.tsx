const MEANING: Record<string, string> = {
  ftz: 'subnormal results were flushed to zero',
  tf32: 'float32 products are computed in TF32: tolerances were widened',
};

// Badges without which figures must not be shown: declared contracts, and observations.
export function Badges({ badges, contracts }: { badges: string[]; contracts: string[] }) {
  const all = [...new Set([...contracts, ...badges])];
  if (all.length === 0) return <span class="muted">no contract</span>;
  return (
    <span class="badges">
      {all.map((badge) => {
        const declared = contracts.includes(badge);
        const says = MEANING[badge] ?? 'a contract that the device declares: tolerances were widened';
        return (
          <span
            key={badge}
            class={declared ? 'badge badge-declared' : 'badge'}
            title={`${declared ? 'declared' : 'observed'}: ${says}`}
          >
            {badge}
          </span>
        );
      })}
    </span>
  );
}

export function WaiverCount({ n }: { n: number }) {
  if (n === 0) return <span class="muted">no waiver</span>;
  return (
    <span class="mark tone-note">
      <span class="sign" aria-hidden="true">
        §
      </span>
      {n} waiver{n === 1 ? '' : 's'} in force
    </span>
  );
}
