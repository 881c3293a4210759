// Tables as CSV (RFC 4180), for spreadsheets.

// A field that a spreadsheet would take for a formula begins with an apostrophe; numbers and dashes alone are none. The
// wide forms are those that East Asian spreadsheets read alike. CsvField in reports/document/escape.cc has the same rule.
function field(text: string): string {
  const formula =
    /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^(-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[- ]+)$/i.test(text);
  const safe = formula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// The byte order mark tells spreadsheets that the text is UTF-8.
export const toCsv = (rows: string[][]): string =>
  '\ufeff' + rows.map((row) => row.map(field).join(',') + '\r\n').join('');

// What a cell says, without signs that only decorate it; a time in full.
function cellText(cell: Element): string {
  const copy = cell.cloneNode(true) as Element;
  for (const hidden of copy.querySelectorAll('[aria-hidden="true"], button:not(.sort), .command'))
    hidden.remove();
  for (const part of copy.querySelectorAll('li, p, div, summary, .badge')) part.append(' ');
  for (const time of copy.querySelectorAll('time[datetime]'))
    time.textContent = time.getAttribute('datetime');
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim();
}

export const tableRows = (table: HTMLTableElement): string[][] =>
  [...table.rows].map((row) => [...row.cells].map(cellText));

// A value of the API: null is an empty field.
export const plainValue = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

export function download(name: string, text: string, type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
