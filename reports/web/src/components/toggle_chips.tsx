import type { ComponentChildren } from 'preact';
import { count } from '../lib/format';
import { navigate, usePlace, withQuery } from '../lib/router';

export interface Chip {
  value: string;
  content: ComponentChildren;
  n: number;
}

interface Props {
  label: string;
  name: string;
  chips: Chip[];
  otherwise?: string; // the parameter's value where the address has none
}

// Values of a comma-separated query parameter, each on or off; none on means all.
export function ToggleChips({ label, name, chips, otherwise = '' }: Props) {
  const place = usePlace();
  const on = (place.query.get(name) ?? otherwise).split(',').filter(Boolean);
  const toggle = (value: string) => {
    const next = on.includes(value) ? on.filter((v) => v !== value) : [...on, value];
    navigate(withQuery(place, { [name]: next.join(',') }));
  };
  return (
    <div class="chips" role="group" aria-label={label}>
      {chips.map(({ value, content, n }) => (
        <button
          key={value}
          type="button"
          class="chip"
          aria-pressed={on.includes(value)}
          onClick={() => toggle(value)}
          data-value={value}
        >
          {content} <span class="chip-count">{count(n)}</span>
        </button>
      ))}
    </div>
  );
}
