import { t } from '../lib/i18n';
import { navigate, usePlace, withQuery } from '../lib/router';

// Text of the query parameter `name`; typing changes the address without growing the browser's history.
export function SearchField({ label, name = 'q' }: { label: string; name?: string }) {
  const place = usePlace();
  const set = (text: string) => navigate(withQuery(place, { [name]: text }), true);
  return (
    <input
      type="search"
      class="search"
      placeholder={t('search.field', { label })}
      aria-label={label}
      value={place.query.get(name) ?? ''}
      onInput={(event) => set(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
}
