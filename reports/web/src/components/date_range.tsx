import { t } from '../lib/i18n';
import { navigate, usePlace, withQuery } from '../lib/router';

function Day({ label, name }: { label: string; name: 'from' | 'to' }) {
  const place = usePlace();
  return (
    <label class="select">
      <span class="select-label">{label}</span>
      <input
        type="date"
        value={place.query.get(name) ?? ''}
        onChange={(event) => navigate(withQuery(place, { [name]: event.currentTarget.value }))}
      />
    </label>
  );
}

// The days of the query parameters `from` and `to` (lib/range.ts).
export function DateRange() {
  const place = usePlace();
  return (
    <>
      <Day label={t('range.from')} name="from" />
      <Day label={t('range.to')} name="to" />
      {(place.query.has('from') || place.query.has('to')) && (
        <button type="button" onClick={() => navigate(withQuery(place, { from: null, to: null }))}>
          {t('range.all')}
        </button>
      )}
    </>
  );
}
