import { useCallback } from 'preact/hooks';
import type { RunSummary } from '../api/messages';
import { Chart, escapeHtml, tooltipStyle, type Colours } from '../components/chart';
import { percent, shortHash, time } from '../lib/format';
import { t } from '../lib/i18n';
import { navigate, to } from '../lib/router';

const ratio = (part: number, whole: number) => (whole > 0 ? (100 * part) / whole : null);

function tooltip(run: RunSummary): string {
  const { coverage, correctness } = run;
  return [
    `<b>${escapeHtml(run.run_id)}</b>`,
    time(run.created),
    `${escapeHtml(run.impl_version || t('common.no_version'))}, ${escapeHtml(shortHash(run.impl_sha256))}`,
    t('trend.functions_pass', { n: coverage.passing, all: coverage.abi_functions }),
    t('trend.correctness_is', { share: percent(correctness.passed, correctness.called), failed: run.failed }),
  ].join('<br>');
}

function axes(c: Colours, at: number, name: string, labels: string[]) {
  const text = { color: c.muted, fontSize: 10 };
  const x = {
    type: 'category',
    gridIndex: at,
    data: labels,
    axisLabel: {
      ...text,
      show: at === 1,
      hideOverlap: true,
      formatter: (label: string) => label.split('|')[1],
    },
    axisLine: { lineStyle: { color: c.line } },
    axisTick: { show: false },
  };
  const y = {
    type: 'value',
    gridIndex: at,
    name,
    nameLocation: 'middle',
    nameGap: 46,
    nameTextStyle: { color: c.muted, fontSize: 11 },
    scale: true,
    minInterval: 0.1,
    max: (range: { max: number }) => Math.min(100, Math.ceil(range.max + 1)),
    min: (range: { min: number }) => Math.max(0, Math.floor(range.min - 1)),
    splitNumber: 3,
    axisLabel: { ...text, formatter: '{value}%' },
    splitLine: { lineStyle: { color: c.line } },
  };
  return { x, y };
}

// Functions that pass and correctness of a chip's runs, oldest first, one above the other; a click
// opens the run. A ring marks a run whose library differs from the previous run's.
export function ChipTrend({ runs }: { runs: RunSummary[] }) {
  const option = useCallback(
    (c: Colours) => {
      const labels = runs.map((run) => `${run.run_id}|${time(run.created, true)}`);
      const [coverage, correctness] = [
        axes(c, 0, t('trend.functions_axis'), labels),
        axes(c, 1, t('trend.correctness'), labels),
      ];
      const line = (at: number, colour: string, values: (number | null)[]) => ({
        type: 'line',
        xAxisIndex: at,
        yAxisIndex: at,
        symbolSize: 8,
        showAllSymbol: true,
        lineStyle: { color: colour, width: 1.5 },
        itemStyle: { color: colour },
        data: values.map((value, i) => ({
          value,
          symbol: i > 0 && runs[i - 1]?.impl_sha256 !== runs[i]?.impl_sha256 ? 'emptyCircle' : 'circle',
        })),
      });
      return {
        animation: false,
        tooltip: {
          ...tooltipStyle(c),
          trigger: 'axis',
          formatter: (items: { dataIndex: number }[]) => {
            const run = runs[items[0]?.dataIndex ?? -1];
            return run ? tooltip(run) : '';
          },
        },
        grid: [
          { left: 66, right: 16, top: 10, height: 80 },
          { left: 66, right: 16, top: 112, height: 110 },
        ],
        xAxis: [coverage.x, correctness.x],
        yAxis: [coverage.y, correctness.y],
        series: [
          line(
            0,
            c.accent,
            runs.map((run) => ratio(run.coverage.passing, run.coverage.abi_functions)),
          ),
          line(
            1,
            c.good,
            runs.map((run) => ratio(run.correctness.passed, run.correctness.called)),
          ),
        ],
      };
    },
    [runs],
  );
  const onOpen = useCallback(
    (i: number) => {
      const run = runs[i];
      if (run) navigate(to.run(run.run_id));
    },
    [runs],
  );
  return (
    <Chart option={option} onOpen={onOpen} height={250} label={t('trend.chart', { runs: runs.length })} />
  );
}
