import { t } from '../lib/i18n';
import { to } from '../lib/router';
import { Link } from './link';

export const chipName = (chip: string): string => chip || t('common.unnamed_chip');

// A link to a chip. An ellipsis shortens its name where there is no room; the title has the whole
// name.
export function ChipLink({ chip }: { chip: string }) {
  return (
    <Link href={to.chip(chip)} class="chip-link cut" title={chipName(chip)}>
      {chipName(chip)}
    </Link>
  );
}
