import { t } from '../lib/i18n';

function meaning(badge: string): string {
  return badge === 'ftz' || badge === 'tf32' ? t(`badge.${badge}`) : t('badge.contract');
}

// Badges without which figures must not be shown: declared contracts, and observations.
export function Badges({ badges, contracts }: { badges: string[]; contracts: string[] }) {
  const all = [...new Set([...contracts, ...badges])];
  if (all.length === 0) return <span class="muted">{t('badge.none')}</span>;
  return (
    <span class="badges">
      {all.map((badge) => {
        const declared = contracts.includes(badge);
        const says = meaning(badge);
        return (
          <span
            key={badge}
            class={declared ? 'badge badge-declared' : 'badge'}
            title={declared ? t('badge.declared', { says }) : t('badge.observed', { says })}
          >
            {badge}
          </span>
        );
      })}
    </span>
  );
}

export function WaiverCount({ n }: { n: number }) {
  if (n === 0) return <span class="muted">{t('badge.no_waiver')}</span>;
  return (
    <span class="mark tone-note">
      <span class="sign" aria-hidden="true">
        §
      </span>
      {t('badge.waivers', { n })}
    </span>
  );
}
