// A range of days in the query, as `from` and `to` in the reader's time zone: both days belong to it.

// The first moment of a day, `later` days on; null: not a day.
function startOf(day: string | null, later: number): string | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '');
  if (!parts) return null;
  const at = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]) + later);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

// The same as parameters of the API, from `from` to before `to`; '' without a range.
export function rangeQuery(query: URLSearchParams): string {
  const range = new URLSearchParams();
  const from = startOf(query.get('from'), 0);
  const to = startOf(query.get('to'), 1);
  if (from) range.set('from', from);
  if (to) range.set('to', to);
  return range.toString();
}

// `path` with the range of the query.
export function inRange(path: string, query: URLSearchParams): string {
  const range = rangeQuery(query);
  return range === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${range}`;
}
