// Formats figures. A value that was not measured says so and is never a zero.
import type { Figure } from '../api/types';

export const NOT_MEASURED = 'not measured';
const THIN = '\u202f';

// 12345 -> "12 345" with thin spaces, from five digits on.
export function count(n: number | null | undefined): string {
  if (n === null || n === undefined) return NOT_MEASURED;
  const text = String(Math.round(n));
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, THIN);
}

// Rounded down, as in the text report: 99.999 % is not 100 %.
export function percent(part: number, whole: number): string {
  if (whole <= 0) return NOT_MEASURED;
  return share(part / whole);
}

export function share(ratio: number | null): string {
  if (ratio === null || !Number.isFinite(ratio)) return NOT_MEASURED;
  const tenths = Math.floor(ratio * 1000 + 1e-9);
  if (tenths === 0 && ratio > 0) return '<0.1%';
  return `${Math.floor(tenths / 10)}.${tenths % 10}%`;
}

// Three significant digits, an exponent only where it is shorter.
export function figure(value: Figure | undefined): string {
  if (value === null || value === undefined) return NOT_MEASURED;
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
  if (us === null || us === undefined) return NOT_MEASURED;
  if (typeof us === 'string') return figure(us);
  if (us < 1000) return `${figure(us)} µs`;
  if (us < 1e6) return `${figure(us / 1000)} ms`;
  return `${figure(us / 1e6)} s`;
}

export function seconds(s: number | null): string {
  if (s === null) return 'unknown';
  if (s < 60) return `${Math.ceil(s)} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return `${minutes} min ${Math.ceil(s % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// "2026-11-21 13:10" in the reader's time zone.
export function time(text: string | null): string {
  if (!text) return 'unknown';
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function ago(text: string | null, now = Date.now()): string {
  if (!text) return '';
  const s = (now - new Date(text).getTime()) / 1000;
  if (Number.isNaN(s)) return '';
  if (s < 60) return 'just now';
  if (s < 3600) return `${Math.floor(s / 60)} min ago`;
  if (s < 48 * 3600) return `${Math.floor(s / 3600)} h ago`;
  return `${Math.floor(s / 86400)} days ago`;
}

export const shortHash = (hash: string): string => (hash === '' ? 'unknown' : hash.slice(0, 12));
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;
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
