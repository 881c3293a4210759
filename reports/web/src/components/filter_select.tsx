import { t } from '../lib/i18n';
import { navigate, usePlace, withQuery } from '../lib/router';

interface Props {
  label: string;
  name: string; // of the query parameter
  options: { value: string; text: string }[];
}

export function FilterSelect({ label, name, options }: Props) {
  const place = usePlace();
  const value = place.query.get(name) ?? '';
  const known = value === '' || options.some((option) => option.value === value);
  return (
    <label class="select">
      <span class="select-label">{label}</span>
      <select
        value={value}
        onChange={(event) => navigate(withQuery(place, { [name]: event.currentTarget.value }))}
      >
        <option value="">{t('common.all')}</option>
        {!known && <option value={value}>{t('filter.none', { value })}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  );
}
