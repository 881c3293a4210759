import { useCallback } from 'preact/hooks';
import type { History, HistoryPoint } from '../api/types';
import { useApi } from '../api/use_api';
import { Chart, escapeHtml, tooltipStyle, type Colours } from '../components/chart';
import { Link } from '../components/link';
import { Loading } from '../components/message';
import { OutcomeMark } from '../components/outcome_mark';
import { figure, micros, shortHash, time } from '../lib/format';
import { look, type Tone } from '../lib/outcomes';
import { navigate, to } from '../lib/router';

const SYMBOL: Record<Tone, string> = {
  good: 'circle',
  bad: 'triangle',
  none: 'emptyCircle',
  note: 'diamond',
  ours: 'rect',
};

function tooltip(p: HistoryPoint): string {
  const lines = [
    `<b>${escapeHtml(p.run_id)}</b>`,
    time(p.created),
    `${escapeHtml(p.impl_version || 'no version')}, ${escapeHtml(shortHash(p.impl_sha256))}`,
    look(p.outcome).label,
    `max z ${figure(p.max_z)}, call ${micros(p.call_us)}`,
  ];
  return lines.join('<br>');
}

const axis = (c: Colours, name: string) => ({
  type: 'log',
  name,
  nameLocation: 'middle',
  nameGap: 40,
  nameTextStyle: { color: c.muted, fontSize: 11 },
  axisLabel: { color: c.muted, fontSize: 10, formatter: (v: number) => figure(v) },
  splitLine: { lineStyle: { color: c.line } },
});

// A logarithmic axis has no place for zero, infinity and what was not measured: no point there.
const drawable = (value: HistoryPoint['max_z']) => (typeof value === 'number' && value > 0 ? value : null);

// Two strips over the same runs: the error, and the time of the call; each point's shape and colour is its outcome.
function HistoryChart({ points }: { points: HistoryPoint[] }) {
  const option = useCallback(
    (c: Colours) => {
      const runs = points.map((p, i) => `${i} ${p.run_id}`);
      const tones: Record<Tone, string> = {
        good: c.good,
        bad: c.bad,
        none: c.none,
        note: c.note,
        ours: c.ours,
      };
      const series = (key: 'max_z' | 'call_us', at: number) => ({
        type: 'line',
        xAxisIndex: at,
        yAxisIndex: at,
        symbolSize: 9,
        showAllSymbol: true,
        lineStyle: { color: c.muted, width: 1 },
        data: points.map((p) => {
          const { tone } = look(p.outcome);
          return { value: drawable(p[key]), symbol: SYMBOL[tone], itemStyle: { color: tones[tone] } };
        }),
      });
      const x = (at: number) => ({
        type: 'category',
        gridIndex: at,
        data: runs,
        axisLabel: {
          show: at === 1,
          color: c.muted,
          fontSize: 10,
          hideOverlap: true,
          formatter: (_: string, i: number) => time(points[i]?.created ?? null).slice(5),
        },
        axisLine: { lineStyle: { color: c.line } },
        axisTick: { show: false },
      });
      return {
        animation: false,
        aria: { enabled: true },
        tooltip: {
          ...tooltipStyle(c),
          trigger: 'axis',
          formatter: (items: { dataIndex: number }[]) => {
            const point = points[items[0]?.dataIndex ?? -1];
            return point ? tooltip(point) : '';
          },
        },
        grid: [
          { left: 64, right: 16, top: 12, height: 110 },
          { left: 64, right: 16, top: 146, height: 90 },
        ],
        xAxis: [x(0), x(1)],
        yAxis: [
          { ...axis(c, 'max z'), gridIndex: 0 },
          { ...axis(c, 'call, µs'), gridIndex: 1 },
        ],
        series: [series('max_z', 0), series('call_us', 1)],
      };
    },
    [points],
  );
  const onOpen = useCallback(
    (i: number) => {
      const point = points[i];
      if (point) navigate(to.run(point.run_id));
    },
    [points],
  );
  return (
    <Chart
      option={option}
      onOpen={onOpen}
      height={270}
      label="Error and time by run; the table below has the figures"
    />
  );
}

function HistoryTable({ history, run }: { history: History; run: string }) {
  const newest = [...history.points].reverse();
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="History">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Started</th>
            <th scope="col">Outcome</th>
            <th scope="col" class="num">
              max z
            </th>
            <th scope="col" class="num">
              max ulp
            </th>
            <th scope="col" class="num">
              Call
            </th>
            <th scope="col">Library</th>
          </tr>
        </thead>
        <tbody>
          {newest.map((p, i) => {
            const older = newest[i + 1];
            return (
              <tr key={p.run_id} aria-selected={p.run_id === run}>
                <td>
                  <Link
                    class="mono"
                    href={to.case(p.run_id, history.case_id)}
                    aria-current={p.run_id === run ? 'true' : undefined}
                  >
                    {p.run_id}
                  </Link>
                </td>
                <td class="nowrap">{time(p.created)}</td>
                <td>
                  <OutcomeMark outcome={p.outcome} />
                </td>
                <td class={p.max_z === null ? 'num muted' : 'num'}>{figure(p.max_z)}</td>
                <td class={p.max_ulp === null ? 'num muted' : 'num'}>{figure(p.max_ulp)}</td>
                <td class="num">{micros(p.call_us)}</td>
                <td class="nowrap">
                  {p.impl_version} <code class="hash">{shortHash(p.impl_sha256)}</code>
                  {older && older.variant !== p.variant && <span class="badge">new variant</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Since({ history }: { history: History }) {
  const { first_bad, last_good, flaky, changes, case_id } = history;
  return (
    <p class="small">
      {flaky && <strong class="tone-note">≈ Flaky: {changes} changes under the same library. </strong>}
      {first_bad ? (
        <>
          Not passing since{' '}
          <Link class="mono" href={to.case(first_bad, case_id)}>
            {first_bad}
          </Link>
          {last_good ? (
            <>
              ; last passed in{' '}
              <Link class="mono" href={to.case(last_good, case_id)}>
                {last_good}
              </Link>{' '}
              (<Link href={to.compare(last_good, first_bad)}>compare the two</Link>)
            </>
          ) : (
            '; no run before it passed'
          )}
          .
        </>
      ) : (
        'Passes in the newest run.'
      )}
    </p>
  );
}

export function CaseHistory({ run, caseId, chip }: { run: string; caseId: string; chip: string }) {
  const path = `/cases/${encodeURIComponent(caseId)}/history?chip=${encodeURIComponent(chip)}`;
  const loaded = useApi<History>(path);
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">
        History on <Link href={to.chip(chip)}>{chip || 'unnamed chip'}</Link>
      </h2>
      <Loading loaded={loaded}>
        {(history) => (
          <>
            <Since history={history} />
            {history.points.length > 1 && <HistoryChart points={history.points} />}
            <HistoryTable history={history} run={run} />
          </>
        )}
      </Loading>
    </section>
  );
}
