// The error histogram's 24 bins (baselines/compare/tally.cc): bin 0 is no error at all, bin 1 below 1/4 ulp, then a bin
// an octave; the last has everything from 2^19 ulps on.
import { t } from './i18n';

export const BINS = 24;

function power(exponent: number): string {
  if (exponent < 0) return `1/${2 ** -exponent}`;
  return exponent < 10 ? String(2 ** exponent) : `2^${exponent}`;
}

export function binLabel(bin: number): string {
  if (bin === 0) return '0';
  if (bin === 1) return '<1/4';
  return bin === BINS - 1 ? `≥${power(bin - 4)}` : power(bin - 4);
}

export function binRange(bin: number): string {
  if (bin === 0) return t('bin.exact');
  if (bin === 1) return t('bin.below');
  if (bin === BINS - 1) return t('bin.more', { from: power(bin - 4) });
  return t('bin.range', { from: power(bin - 4), to: power(bin - 3) });
}

// The bins up to the last non-empty one, at least to 2 ulps: an empty tail says nothing.
export function shownBins(counts: number[]): number {
  let last = 5;
  counts.forEach((n, bin) => {
    if (n > 0) last = Math.max(last, bin);
  });
  return Math.min(last + 2, counts.length);
}
