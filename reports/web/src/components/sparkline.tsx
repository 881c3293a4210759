import { share } from '../lib/format';
import { t } from '../lib/i18n';

const W = 120;
const H = 26;
const PAD = 3;

// A trend without axes: the newest value as a dot, the range in the tooltip. Unknown values leave gaps.
export function Sparkline({
  values,
  label,
  kind,
}: {
  values: (number | null)[];
  label: string;
  kind: string;
}) {
  const known = values.filter((v): v is number => v !== null);
  if (values.length === 0) return <span class="muted small">{t('trend.no_run')}</span>;
  if (known.length === 0) return <span class="muted small">{t('common.not_measured')}</span>;
  if (values.length === 1) return <span class="muted small">{t('trend.one_run')}</span>;
  const low = Math.min(...known);
  const high = Math.max(...known);
  const spread = Math.max(high - low, 0.02);
  const middle = (low + high) / 2;
  const x = (i: number) => PAD + (i * (W - 2 * PAD)) / (values.length - 1);
  const y = (v: number) => H / 2 - ((v - middle) / spread) * (H - 2 * PAD - 2);
  let path = '';
  let pen = 'M';
  values.forEach((v, i) => {
    if (v === null) {
      pen = 'M';
      return;
    }
    path += `${pen}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
    pen = 'L';
  });
  const last = values.findLastIndex((v) => v !== null);
  const words =
    t('trend.words', { label, runs: values.length, now: share(values[last] ?? null) }) +
    (known.length > 1 ? t('trend.range', { low: share(low), high: share(high) }) : '');
  return (
    <svg
      class={`sparkline spark-${kind}`}
      width={W}
      height={H}
      viewBox={`0 0 ${W} ${H}`}
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      <path d={path} />
      <circle cx={x(last)} cy={y(values[last] ?? 0)} r="2.5" />
    </svg>
  );
}
