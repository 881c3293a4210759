import { useCallback, useMemo } from 'preact/hooks';
import type { Performance } from '../api/messages';
import { Chart, escapeHtml, legendStyle, seriesLook, tooltipStyle, type Colours } from '../components/chart';
import { Empty } from '../components/message';
import { figure, micros, share } from '../lib/format';
import { t } from '../lib/i18n';
import { isMeasured, powerOfTen, roofPlot, type RoofPlot, type RoofPoint } from '../lib/performance';
import { navigate, to } from '../lib/router';

function tooltip({ call, intensity, gops }: RoofPoint): string {
  const { us } = call;
  const range = t('compare.range', { low: micros(us.low), high: micros(us.high) });
  return [
    `<b>${escapeHtml(call.function)}</b>, ${escapeHtml(call.dtype)}`,
    escapeHtml(call.shapes),
    `${micros(us.median)} (${range})`,
    t('perf.tip_rates', { intensity: figure(intensity), gops: figure(gops) }),
    ...(call.roofline_share === null ? [] : [t('perf.tip_share', { share: share(call.roofline_share) })]),
  ].join('<br>');
}

function axis(c: Colours, name: string, [min, max]: [number, number], nameGap: number) {
  return {
    type: 'log',
    min,
    max,
    name,
    nameLocation: 'middle',
    nameGap,
    nameTextStyle: { color: c.muted, fontSize: 11 },
    axisLabel: { color: c.muted, fontSize: 10, hideOverlap: true, formatter: powerOfTen },
    axisLine: { lineStyle: { color: c.line } },
    splitLine: { lineStyle: { color: c.line } },
  };
}

// At the right end of a roof: which dtypes it limits. Those of roofs that are nearly the same stand above each other.
const roofLabel = (c: Colours, text: string, row: number) => ({
  show: text !== '',
  formatter: text,
  position: 'left',
  offset: [4, -9 - 12 * row],
  color: c.text,
  fontSize: 11,
});

function seriesOf(c: Colours, plot: RoofPlot) {
  const calls = plot.series.map(({ dtype, points }, i) => {
    const { colour, symbol } = seriesLook(c, i);
    return {
      type: 'scatter',
      name: dtype,
      symbol,
      symbolSize: 9,
      itemStyle: { color: colour, opacity: 0.85 },
      data: points.map((point) => [point.intensity, point.gops]),
    };
  });
  const roofs = plot.series.map(({ dtype, roof, label }, i) => {
    const { colour, dash } = seriesLook(c, i);
    return {
      type: 'line',
      name: dtype, // the legend's switch hides both
      symbolSize: 1,
      showAllSymbol: true,
      silent: true,
      lineStyle: { color: colour, width: 1.5, type: dash },
      itemStyle: { color: colour },
      data: roof.map((value, at) => ({ value, label: roofLabel(c, at === roof.length - 1 ? label : '', i) })),
    };
  });
  return [...calls, ...roofs];
}

// Each call by its operations per byte and its operations per second, below the roof of its dtype; a click opens the
// case.
export function RooflineChart({ data }: { data: Performance }) {
  const plot = useMemo(() => roofPlot(data), [data]);
  const option = useCallback(
    (c: Colours) => ({
      animation: false,
      tooltip: {
        ...tooltipStyle(c),
        trigger: 'item',
        formatter: ({ seriesIndex, dataIndex }: { seriesIndex: number; dataIndex: number }) => {
          const point = plot.series[seriesIndex]?.points[dataIndex];
          return point ? tooltip(point) : '';
        },
      },
      legend: legendStyle(c),
      grid: { left: 58, right: 18, top: 32, bottom: 42 },
      xAxis: axis(c, t('perf.intensity'), plot.x, 26),
      yAxis: axis(c, t('perf.gops'), plot.y, 40),
      series: seriesOf(c, plot),
    }),
    [plot],
  );
  const onOpen = useCallback(
    (at: number, series: number) => {
      const point = plot.series[series]?.points[at];
      if (point) navigate(to.case(data.run_id, point.call.judged_case));
    },
    [plot, data],
  );
  if (plot.shown === 0) return <Empty>{t('perf.no_plot')}</Empty>;
  const left = data.calls.filter(isMeasured).length - plot.shown;
  return (
    <div class="card">
      <Chart option={option} onOpen={onOpen} height={340} label={t('perf.plot', { calls: plot.shown })} />
      <p class="small muted">
        {t('perf.plot_says')} {left > 0 && t('perf.plot_without', { n: left })}
      </p>
    </div>
  );
}
