import { to } from '../lib/router';
import { Link } from './link';

export const chipName = (chip: string): string => chip || 'unnamed chip';

// A chip by its name, which an ellipsis cuts where there is no room; the whole name is the title.
export function ChipLink({ chip }: { chip: string }) {
  return (
    <Link href={to.chip(chip)} class="chip-link cut" title={chipName(chip)}>
      {chipName(chip)}
    </Link>
  );
}
