// Formats figures. A value that was not measured says so and is never a zero.
import type { Figure } from '../api/messages';
import { formats, integer, t } from './i18n';

// 12345 -> "12,345": in groups from five digits on.
export function count(n: number | null | undefined): string {
  return n === null || n === undefined ? t('common.not_measured') : integer(Math.round(n));
}

// Rounded down, as in the text report: 99.999 % is not 100 %.
export function percent(part: number, whole: number): string {
  if (whole <= 0) return t('common.not_measured');
  return share(part / whole);
}

export function share(ratio: number | null): string {
  if (ratio === null || !Number.isFinite(ratio)) return t('common.not_measured');
  const hundredths = Math.floor(ratio * 10_000 + 1e-9);
  const { percent: format } = formats();
  return hundredths === 0 && ratio > 0 ? `<${format.format(0.0001)}` : format.format(hundredths / 10_000);
}

// Three significant digits, an exponent only where it is shorter.
export function figure(value: Figure | undefined): string {
  if (value === null || value === undefined) return t('common.not_measured');
  if (value === 'Infinity') return '∞';
  if (value === '-Infinity') return '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2).replace('e+', 'e');
  if (size >= 1000) return count(value);
  return String(Number(value.toPrecision(3)));
}

// A dash in a dense table; the column's tooltip and screen readers have the words.
export const shortFigure = (value: Figure | undefined): string =>
  value === null || value === undefined ? '–' : figure(value);

// Values of tensors: all digits.
export function exact(value: Figure | string | undefined): string {
  if (value === null || value === undefined) return 'NaN';
  return value === 'Infinity' ? '∞' : value === '-Infinity' ? '−∞' : String(value);
}

export function micros(us: Figure | undefined): string {
  if (us === null || us === undefined) return t('common.not_measured');
  if (typeof us === 'string') return figure(us);
  if (us < 1000) return `${figure(us)} µs`;
  if (us < 1e6) return `${figure(us / 1000)} ms`;
  return `${figure(us / 1e6)} s`;
}

// "4.1 MiB"
export function bytes(n: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = n < 1 ? 0 : Math.min(Math.floor(Math.log2(n) / 10), units.length - 1);
  return `${figure(n / 1024 ** power)} ${units[power]}`;
}

export function seconds(s: number | null): string {
  if (s === null) return t('common.unknown');
  if (s < 60) return t('duration.seconds', { s: Math.ceil(s) });
  const min = Math.floor(s / 60);
  if (min < 60) return t('duration.minutes', { min, s: Math.ceil(s % 60) });
  return t('duration.hours', { h: Math.floor(min / 60), min: min % 60 });
}

// Date and time in the reader's time zone; `short`: for the axis of a chart, without the year.
export function time(text: string | null, short = false): string {
  if (!text) return t('common.unknown');
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  return (short ? formats().shortTime : formats().time).format(at);
}

export function ago(text: string | null, now = Date.now()): string {
  if (!text) return '';
  const s = (now - new Date(text).getTime()) / 1000;
  if (Number.isNaN(s)) return '';
  const { ago: format } = formats();
  if (s < 60) return t('common.just_now');
  if (s < 3600) return format.format(-Math.floor(s / 60), 'minute');
  if (s < 48 * 3600) return format.format(-Math.floor(s / 3600), 'hour');
  return format.format(-Math.floor(s / 86400), 'day');
}

// Pages are read on other machines: a file's folders there say nothing.
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const shortHash = (hash: string): string => (hash === '' ? t('common.unknown') : hash.slice(0, 12));
// The coordinates of a flat row-major index.
export function coordinates(index: number, sizes: number[]): number[] {
  const at = [...sizes];
  for (let axis = sizes.length - 1; axis >= 0; --axis) {
    const size = sizes[axis] || 1;
    at[axis] = index % size;
    index = Math.floor(index / size);
  }
  return at;
}

export const shape = (sizes: number[]): string => `(${sizes.join(', ')})`;
