import { useCallback, useMemo } from 'preact/hooks';
import type { ChipPerformance, MeasuredRun, StepTotal } from '../api/messages';
import { useApi } from '../api/use_api';
import { Chart, escapeHtml, legendStyle, seriesLook, tooltipStyle, type Colours } from '../components/chart';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Head } from '../components/tips';
import { figure, micros, shortHash, time } from '../lib/format';
import { t } from '../lib/i18n';
import { isComplete, stepLines } from '../lib/performance';
import { navigate, to } from '../lib/router';

type Lines = ReturnType<typeof stepLines>;

const range = (step: StepTotal) =>
  t('compare.range', { low: micros(step.low_us), high: micros(step.high_us) });

function tooltip(run: MeasuredRun, at: number, lines: Lines): string {
  const times = lines.flatMap(({ name, steps }) => {
    const step = steps[at];
    return step ? [`${escapeHtml(name)}: ${micros(step.us)} (${range(step)})`] : [];
  });
  return [
    `<b>${escapeHtml(run.run_id)}</b>`,
    time(run.created),
    `${escapeHtml(run.impl_version || t('common.no_version'))}, ${escapeHtml(shortHash(run.impl_sha256))}`,
    ...times,
  ].join('<br>');
}

function axes(c: Colours, labels: string[]) {
  const text = { color: c.muted, fontSize: 10 };
  const x = {
    type: 'category',
    data: labels,
    axisLabel: { ...text, hideOverlap: true, formatter: (label: string) => label.split('|')[1] },
    axisLine: { lineStyle: { color: c.line } },
    axisTick: { show: false },
  };
  const y = {
    type: 'log',
    name: t('perf.trend_axis'),
    nameLocation: 'middle',
    nameGap: 46,
    nameTextStyle: { color: c.muted, fontSize: 11 },
    axisLabel: { ...text, formatter: (v: number) => figure(v) },
    splitLine: { lineStyle: { color: c.line } },
  };
  return { xAxis: x, yAxis: y };
}

function Figures({ runs, lines }: { runs: MeasuredRun[]; lines: Lines }) {
  return (
    <details class="more">
      <summary>{t('perf.trend_figures')}</summary>
      <Exported name="steps">
        <div class="table-scroll">
          <table class="plain" aria-label={t('perf.trend')}>
            <thead>
              <tr>
                <Head>{t('column.run')}</Head>
                {lines.map(({ name }) => (
                  <Head key={name} says={t('term.perf_step')} num>
                    {name}
                  </Head>
                ))}
              </tr>
            </thead>
            <tbody>
              {runs.map((run, i) => (
                <tr key={run.run_id}>
                  <th scope="row">
                    <Link href={to.performance(run.run_id)} class="mono">
                      {run.run_id}
                    </Link>
                    <div class="small muted nowrap">{time(run.created)}</div>
                  </th>
                  {lines.map(({ name, steps }) => {
                    const step = steps[i];
                    if (!step)
                      return (
                        <td key={name} class="num muted">
                          {t('common.not_measured')}
                        </td>
                      );
                    return (
                      <td key={name} class="num">
                        {micros(step.us)}
                        <div class="small muted">{range(step)}</div>
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Exported>
    </details>
  );
}

function Trend({ runs, lines }: { runs: MeasuredRun[]; lines: Lines }) {
  const option = useCallback(
    (c: Colours) => ({
      animation: false,
      tooltip: {
        ...tooltipStyle(c),
        trigger: 'axis',
        formatter: (items: { dataIndex: number }[]) => {
          const at = items[0]?.dataIndex ?? -1;
          const run = runs[at];
          return run ? tooltip(run, at, lines) : '';
        },
      },
      legend: legendStyle(c),
      grid: { left: 66, right: 16, top: 20 + 18 * Math.ceil(lines.length / 3), bottom: 26 },
      ...axes(
        c,
        runs.map((run) => `${run.run_id}|${time(run.created, true)}`),
      ),
      series: lines.map(({ name, steps }, i) => {
        const { colour, symbol, dash } = seriesLook(c, i);
        return {
          type: 'line',
          name,
          symbol,
          symbolSize: 9,
          showAllSymbol: true,
          lineStyle: { color: colour, width: 1.5, type: dash },
          itemStyle: { color: colour },
          data: steps.map((step) => (step ? step.us / 1000 : null)),
        };
      }),
    }),
    [runs, lines],
  );
  const onOpen = useCallback(
    (i: number) => {
      const run = runs[i];
      if (run) navigate(to.performance(run.run_id));
    },
    [runs],
  );
  return (
    <Chart
      option={option}
      onOpen={onOpen}
      height={260}
      label={t('perf.trend_chart', { runs: runs.length })}
    />
  );
}

// The estimated time of each model's step over the chip's measured runs; a click opens the run's performance. Nothing
// where no run has such a time.
export function ChipPerformanceTrend({ chip }: { chip: string }) {
  const { data } = useApi<ChipPerformance>(`/performance?chip=${encodeURIComponent(chip)}`);
  const runs = useMemo(() => (data?.runs ?? []).filter((run) => run.steps.some(isComplete)), [data]);
  const lines = useMemo(() => stepLines(runs), [runs]);
  if (lines.length === 0) return null;
  return (
    <>
      <h2>{t('perf.trend')}</h2>
      <div class="card">
        <Trend runs={runs} lines={lines} />
        <Figures runs={runs} lines={lines} />
      </div>
    </>
  );
}
