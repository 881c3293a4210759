import { useCallback } from 'preact/hooks';
import type { Figure, HistoryPoint } from '../api/messages';
import { Chart, escapeHtml, tooltipStyle, type Colours } from '../components/chart';
import { figure, micros, shortHash, time } from '../lib/format';
import { t } from '../lib/i18n';
import { look, type Tone } from '../lib/outcomes';
import { navigate, to } from '../lib/router';

// An outcome's shape, which needs no colour.
const SYMBOL: Record<Tone, string> = {
  good: 'circle',
  bad: 'triangle',
  none: 'emptyCircle',
  note: 'diamond',
  ours: 'rect',
};

type Measure = 'max_z' | 'max_ulp' | 'call_us';
const nameOf = (key: Measure) => t(key === 'call_us' ? 'history.call_axis' : `column.${key}`);

// A logarithmic axis has no place for zero, infinity and values that were not measured: they have
// no point.
const drawable = (value: Figure) => (typeof value === 'number' && value > 0 ? value : null);

function tooltip(p: HistoryPoint): string {
  return [
    `<b>${escapeHtml(p.run_id)}</b>`,
    time(p.created),
    `${escapeHtml(p.impl_version || t('common.no_version'))}, ${escapeHtml(shortHash(p.impl_sha256))}`,
    look(p.outcome).label,
    t('history.figures', { z: figure(p.max_z), ulp: figure(p.max_ulp), call: micros(p.call_us) }),
  ].join('<br>');
}

function xAxis(c: Colours, points: HistoryPoint[], at: number, last: boolean) {
  return {
    type: 'category',
    gridIndex: at,
    data: points.map((p) => p.run_id),
    axisLabel: {
      show: last,
      color: c.muted,
      fontSize: 10,
      hideOverlap: true,
      formatter: (_: string, i: number) => time(points[i]?.created ?? null, true),
    },
    axisLine: { show: at > 0, lineStyle: { color: c.line } },
    axisTick: { show: false },
  };
}

function yAxis(c: Colours, at: number, name: string) {
  const title = {
    name,
    nameLocation: 'middle',
    nameGap: 46,
    nameTextStyle: { color: c.muted, fontSize: 11 },
  };
  if (at === 0) return { type: 'value', gridIndex: 0, min: 0, max: 2, show: false };
  return {
    ...title,
    type: 'log',
    splitNumber: 3,
    gridIndex: at,
    axisLabel: { color: c.muted, fontSize: 10, formatter: (v: number) => figure(v) },
    splitLine: { lineStyle: { color: c.line } },
  };
}

function series(c: Colours, points: HistoryPoint[], at: number, value: (p: HistoryPoint) => number | null) {
  const tones: Record<Tone, string> = { good: c.good, bad: c.bad, none: c.none, note: c.note, ours: c.ours };
  return {
    type: at === 0 ? 'scatter' : 'line',
    xAxisIndex: at,
    yAxisIndex: at,
    symbolSize: at === 0 ? 12 : 8,
    showAllSymbol: true,
    lineStyle: { color: c.muted, width: 1 },
    data: points.map((p) => {
      const { tone } = look(p.outcome);
      return { value: value(p), symbol: SYMBOL[tone], itemStyle: { color: tones[tone] } };
    }),
  };
}

// Over the runs, oldest first: the outcomes, then the error and the time of the call where some run has them. A click
// opens the case of that run.
export function HistoryChart({ points, caseId }: { points: HistoryPoint[]; caseId: string }) {
  const has = (key: Measure) => points.some((p) => drawable(p[key]) !== null);
  const error: Measure[] = has('max_z') ? ['max_z'] : has('max_ulp') ? ['max_ulp'] : [];
  const strips: Measure[] = [...error, ...(has('call_us') ? (['call_us'] as const) : [])];
  const kinds = strips.join();
  const option = useCallback(
    (c: Colours) => {
      const last = strips.length;
      return {
        animation: false,
        tooltip: {
          ...tooltipStyle(c),
          trigger: 'axis',
          formatter: (items: { dataIndex: number }[]) => {
            const point = points[items[0]?.dataIndex ?? -1];
            return point ? tooltip(point) : '';
          },
        },
        grid: [
          { left: 66, right: 16, top: 0, height: 24 },
          ...strips.map((_, i) => ({ left: 66, right: 16, top: 36 + i * 106, height: 90 })),
        ],
        xAxis: [0, ...strips.map((_, i) => i + 1)].map((at) => xAxis(c, points, at, at === last)),
        yAxis: [yAxis(c, 0, ''), ...strips.map((key, i) => yAxis(c, i + 1, nameOf(key)))],
        series: [
          series(c, points, 0, () => 1),
          ...strips.map((key, i) => series(c, points, i + 1, (p) => drawable(p[key]))),
        ],
      };
    },
    [points, kinds],
  );
  const onOpen = useCallback(
    (i: number) => {
      const point = points[i];
      if (point) navigate(to.case(point.run_id, caseId));
    },
    [points, caseId],
  );
  const height = 50 + strips.length * 106;
  return <Chart option={option} onOpen={onOpen} height={height} label={t('history.chart')} />;
}
