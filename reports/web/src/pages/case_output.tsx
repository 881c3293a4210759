import { useCallback } from 'preact/hooks';
import type { Figure, Mismatch, Outcome, OutputStats } from '../api/messages';
import { Chart, tooltipStyle, type Colours } from '../components/chart';
import { Exported } from '../components/exported';
import { Explained, Head } from '../components/tips';
import { coordinates, exact, figure, shape } from '../lib/format';
import { integer, rich, t } from '../lib/i18n';
import { binLabel, binRange, shownBins } from '../lib/histogram';

const GATES = ['P', 'X', 'S', 'R', 'B'] as const;

function gateText(gates: string): string {
  if (gates === '') return t('output.no_gate');
  const says = (gate: string) => t(`gate.${GATES.find((one) => one === gate) ?? 'other'}`);
  return gates
    .split(',')
    .map((gate) => `${gate} (${says(gate)})`)
    .join(t('common.list_separator'));
}

function Histogram({ counts }: { counts: number[] }) {
  const option = useCallback(
    (c: Colours) => {
      const bins = Array.from({ length: shownBins(counts) }, (_, bin) => bin);
      return {
        animation: false,
        grid: { left: 8, right: 8, top: 8, bottom: 22, containLabel: true },
        tooltip: {
          ...tooltipStyle(c),
          trigger: 'axis',
          axisPointer: { type: 'shadow' },
          formatter: (items: { dataIndex: number }[]) => {
            const bin = items[0]?.dataIndex ?? 0;
            return `${binRange(bin)}: <b>${integer(counts[bin] ?? 0)}</b>`;
          },
        },
        xAxis: {
          type: 'category',
          data: bins.map(binLabel),
          name: t('output.error_axis'),
          nameLocation: 'middle',
          nameGap: 24,
          nameTextStyle: { color: c.muted, fontSize: 11 },
          axisLabel: { color: c.muted, fontSize: 10, hideOverlap: true },
          axisLine: { lineStyle: { color: c.line } },
          axisTick: { show: false },
        },
        yAxis: {
          type: 'log',
          logBase: 10,
          min: 0.5,
          startValue: 0.5, // otherwise bars start at 1, and a bar of height 1 is invisible
          axisLabel: {
            color: c.muted,
            fontSize: 10,
            formatter: (v: number) => (v < 1 ? '' : integer(v)),
          },
          splitLine: { lineStyle: { color: c.line } },
        },
        series: [
          {
            type: 'bar',
            // A logarithmic axis has no zero: an empty bin has no bar.
            data: bins.map((bin) => counts[bin] || null),
            barCategoryGap: '12%',
            itemStyle: { color: c.accent, borderRadius: [2, 2, 0, 0] },
          },
        ],
      };
    },
    [counts],
  );
  const words = counts.flatMap((n, bin) => (n > 0 ? [`${binRange(bin)}: ${n}`] : [])).join('; ');
  return <Chart option={option} height={190} label={t('output.by_error_words', { words })} />;
}

// A row of the measurements: the chip's figure, and the device reference's where there is one.
interface Row {
  name: string;
  says: string;
  chip: Figure;
  device?: Figure;
}

function Measurements({ output, reference }: { output: OutputStats; reference: string }) {
  const graded = output.grade !== '';
  const name = reference || 'NVIDIA';
  const rows: Row[] = [
    { name: t('column.max_z'), says: t('term.max_z'), chip: output.max_z },
    {
      name: 'rms z',
      says: t('term.rms_z'),
      chip: output.rms_z,
      ...(graded ? { device: output.rms_z_device } : {}),
    },
    { name: t('column.max_ulp'), says: t('term.max_ulp'), chip: output.max_ulp },
    { name: 'max abs', says: t('term.max_abs'), chip: output.max_abs },
    { name: 'max rel', says: t('term.max_rel'), chip: output.max_rel },
    {
      name: 'rmse',
      says: t('term.rmse'),
      chip: output.rmse,
      ...(graded ? { device: output.rmse_device } : {}),
    },
    { name: t('output.rmse_ideal'), says: t('term.rmse_ideal'), chip: output.rmse_ideal },
    { name: t('output.bias'), says: t('term.bias'), chip: output.bias },
  ];
  return (
    <Exported name="output">
      <table class="plain figures-table">
        <thead>
          <tr>
            <th scope="col">{t('output.measured')}</th>
            <th scope="col" class="num">
              {t('common.chip')}
            </th>
            <Head says={t('term.device')} num>
              {name}
            </Head>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <Explained says={row.says}>{row.name}</Explained>
              </th>
              <td class={row.chip === null ? 'num muted' : 'num'}>{figure(row.chip)}</td>
              <td class={row.device === undefined || row.device === null ? 'num muted' : 'num'}>
                {row.device === undefined ? (graded ? '' : t('common.not_measured')) : figure(row.device)}
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <Explained says={t('term.grade')}>{t('cases.grade')}</Explained>
            </th>
            <td class="num">
              {graded ? (
                `${output.grade} (×${figure(output.rmse_ratio)})`
              ) : (
                <span class="muted">{t('common.not_measured')}</span>
              )}
            </td>
            <td />
          </tr>
        </tbody>
      </table>
    </Exported>
  );
}

const at = (mismatch: Mismatch, sizes: number[]) =>
  sizes.length > 0 ? `[${coordinates(mismatch.index, sizes).join(', ')}]` : String(mismatch.index);

function FirstMismatches({ output }: { output: OutputStats }) {
  if (output.first.length === 0) return null;
  return (
    <>
      <h4>
        {t('output.first')} <span class="muted">{t('output.first_of', { n: output.mismatches })}</span>
      </h4>
      <Exported name="mismatches">
        <div
          class="table-scroll"
          tabIndex={0}
          role="region"
          aria-label={t('output.first_label', { key: output.key })}
        >
          <table class="plain mono">
            <thead>
              <tr>
                <th scope="col">{t('output.at')}</th>
                <th scope="col" class="num">
                  {t('common.chip')}
                </th>
                <th scope="col" class="num">
                  {t('output.expected')}
                </th>
                <th scope="col" class="num">
                  {t('output.tolerance')}
                </th>
              </tr>
            </thead>
            <tbody>
              {output.first.map((mismatch) => (
                <tr key={mismatch.index}>
                  <td class="nowrap">{at(mismatch, output.shape)}</td>
                  <td class="num">{mismatch.actual_text || exact(mismatch.actual)}</td>
                  <td class="num">{mismatch.expected_text || exact(mismatch.expected)}</td>
                  <td class="num">
                    {mismatch.tolerance === null ? t('output.exact') : figure(mismatch.tolerance)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Exported>
    </>
  );
}

function counts(output: OutputStats): string {
  const parts = [t('output.beyond', { n: output.mismatches, all: output.elements })];
  if (output.soft > 0) parts.push(t('output.marginal', { n: output.soft }));
  if (output.nan_actual > 0) parts.push(t('output.nan', { n: output.nan_actual }));
  if (output.inf_actual > 0) parts.push(t('output.infinite', { n: output.inf_actual }));
  if (output.flushed > 0) parts.push(t('output.flushed', { n: output.flushed }));
  return parts.join(t('common.list_separator'));
}

function PublicVerdict({ output, verdict }: { output: OutputStats; verdict: Outcome }) {
  const ratio = output.public_mismatch_ratio;
  const differs = output.public_pass ? verdict !== 'pass' && !output.ok : output.ok;
  return (
    <>
      {output.public_pass ? '✓ pass' : '✕ fail'}
      {typeof ratio === 'number' && (
        <span class="muted"> {t('output.public_share', { share: figure(ratio * 100) })}</span>
      )}
      {differs && <span class="tone-note"> {t('output.differs')}</span>}
    </>
  );
}

interface Props {
  output: OutputStats;
  detail: string; // what was found about it
  verdict: Outcome;
  reference: string; // the device reference to compare with; '': none
}

// One output of a case: the measurements, beside the device reference's figures and the public
// harness's verdict.
export function CaseOutput({ output, detail, verdict, reference }: Props) {
  return (
    <article class="card output" aria-label={t('output.label', { key: output.key })}>
      <h3>
        <code>{output.key}</code> <span class="muted">{`${output.dtype} ${shape(output.shape)}`}</span>
        <span class={output.ok ? 'tone-good' : 'tone-bad'}>
          {output.ok ? `✓ ${t('output.ok')}` : `✕ ${t('output.not_ok')}`}
        </span>
      </h3>
      {detail && <p>{detail}</p>}
      <p class="small">
        {rich('output.summary', {
          counts: counts(output),
          gates: gateText(output.gates),
          verdict: <PublicVerdict output={output} verdict={verdict} />,
        })}
      </p>
      <div class="output-body">
        <Measurements output={output} reference={reference} />
        <figure>
          <figcaption>{t('output.by_error')}</figcaption>
          {output.ulp_histogram.some((n) => n > 0) ? <Histogram counts={output.ulp_histogram} /> : <Empty />}
        </figure>
      </div>
      <FirstMismatches output={output} />
    </article>
  );
}

const Empty = () => <p class="empty">{t('common.not_measured')}</p>;
