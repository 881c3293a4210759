import { useCallback } from 'preact/hooks';
import type { Figure, Mismatch, Outcome, OutputStats } from '../api/types';
import { Chart, tooltipStyle, type Colours } from '../components/chart';
import { Explained, Head } from '../components/tips';
import { coordinates, count, exact, figure, NOT_MEASURED, shape } from '../lib/format';
import { binLabel, binRange, shownBins } from '../lib/histogram';
import { TERMS } from '../lib/terms';

const GATES: Record<string, string> = {
  P: 'single elements beyond the tolerance',
  X: 'an answer that must be exact',
  S: 'shape or dtype',
  R: 'root-mean-square error too large',
  B: 'errors are biased to one side',
};

function gateText(gates: string): string {
  if (gates === '') return 'none failed';
  return gates
    .split(',')
    .map((gate) => `${gate} (${GATES[gate] ?? 'gate'})`)
    .join(', ');
}

const numbers = new Intl.NumberFormat('en');

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
            return `${binRange(bin)}: <b>${numbers.format(counts[bin] ?? 0)}</b>`;
          },
        },
        xAxis: {
          type: 'category',
          data: bins.map(binLabel),
          name: 'error in ulps',
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
            formatter: (v: number) => (v < 1 ? '' : numbers.format(v)),
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
  return <Chart option={option} height={190} label={`Elements by error. ${words}`} />;
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
    { name: 'max z', says: TERMS.max_z, chip: output.max_z },
    {
      name: 'rms z',
      says: TERMS.rms_z,
      chip: output.rms_z,
      ...(graded ? { device: output.rms_z_device } : {}),
    },
    { name: 'max ulp', says: TERMS.max_ulp, chip: output.max_ulp },
    { name: 'max abs', says: TERMS.max_abs, chip: output.max_abs },
    { name: 'max rel', says: TERMS.max_rel, chip: output.max_rel },
    {
      name: 'rmse',
      says: TERMS.rmse,
      chip: output.rmse,
      ...(graded ? { device: output.rmse_device } : {}),
    },
    { name: 'rmse, ideal', says: TERMS.rmse_ideal, chip: output.rmse_ideal },
    { name: 'bias', says: TERMS.bias, chip: output.bias },
  ];
  return (
    <table class="plain figures-table">
      <thead>
        <tr>
          <th scope="col">Measured</th>
          <th scope="col" class="num">
            Chip
          </th>
          <Head says="The same figure for the device reference, where there is one." num>
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
              {row.device === undefined ? (graded ? '' : NOT_MEASURED) : figure(row.device)}
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">
            <Explained says={TERMS.grade}>grade</Explained>
          </th>
          <td class="num">
            {graded ? (
              `${output.grade} (×${figure(output.rmse_ratio)})`
            ) : (
              <span class="muted">{NOT_MEASURED}</span>
            )}
          </td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}

const at = (mismatch: Mismatch, sizes: number[]) =>
  sizes.length > 0 ? `[${coordinates(mismatch.index, sizes).join(', ')}]` : String(mismatch.index);

function FirstMismatches({ output }: { output: OutputStats }) {
  if (output.first.length === 0) return null;
  return (
    <>
      <h4>
        First mismatches <span class="muted">of {count(output.mismatches)}</span>
      </h4>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={`First mismatches of ${output.key}`}>
        <table class="plain mono">
          <thead>
            <tr>
              <th scope="col">At</th>
              <th scope="col" class="num">
                Chip
              </th>
              <th scope="col" class="num">
                Expected
              </th>
              <th scope="col" class="num">
                Tolerance
              </th>
            </tr>
          </thead>
          <tbody>
            {output.first.map((mismatch) => (
              <tr key={mismatch.index}>
                <td class="nowrap">{at(mismatch, output.shape)}</td>
                <td class="num">{mismatch.actual_text || exact(mismatch.actual)}</td>
                <td class="num">{mismatch.expected_text || exact(mismatch.expected)}</td>
                <td class="num">{mismatch.tolerance === null ? 'exact' : figure(mismatch.tolerance)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function counts(output: OutputStats): string {
  const parts = [`${count(output.mismatches)} of ${count(output.elements)} elements beyond the tolerance`];
  if (output.soft > 0) parts.push(`${count(output.soft)} marginal`);
  if (output.nan_actual > 0) parts.push(`${count(output.nan_actual)} NaN`);
  if (output.inf_actual > 0) parts.push(`${count(output.inf_actual)} infinite`);
  if (output.flushed > 0) parts.push(`${count(output.flushed)} flushed to zero`);
  return parts.join(', ');
}

function PublicVerdict({ output, verdict }: { output: OutputStats; verdict: Outcome }) {
  const ratio = output.public_mismatch_ratio;
  return (
    <>
      {output.public_pass ? '✓ pass' : '✕ fail'}
      {typeof ratio === 'number' && (
        <span class="muted"> ({figure(ratio * 100)} % of the elements outside its tolerance)</span>
      )}
      {verdict !== 'pass' && output.public_pass && !output.ok && (
        <span class="tone-note"> (differs from our verdict)</span>
      )}
      {output.ok && !output.public_pass && <span class="tone-note"> (differs from our verdict)</span>}
    </>
  );
}

interface Props {
  output: OutputStats;
  verdict: Outcome;
  reference: string; // the device reference to compare with; '': none
}

// One output of a case: the measurements, beside the device reference's figures and the public
// harness's verdict.
export function CaseOutput({ output, verdict, reference }: Props) {
  return (
    <article class="card output" aria-label={`Output ${output.key}`}>
      <h3>
        <code>{output.key}</code> <span class="muted">{`${output.dtype} ${shape(output.shape)}`}</span>
        <span class={output.ok ? 'tone-good' : 'tone-bad'}>{output.ok ? '✓ ok' : '✕ not ok'}</span>
      </h3>
      {output.detail && <p>{output.detail}</p>}
      <p class="small">
        {counts(output)}. Gates: {gateText(output.gates)}. Public harness:{' '}
        <PublicVerdict output={output} verdict={verdict} />.
      </p>
      <div class="output-body">
        <Measurements output={output} reference={reference} />
        <figure>
          <figcaption>Elements by error</figcaption>
          {output.ulp_histogram.some((n) => n > 0) ? <Histogram counts={output.ulp_histogram} /> : <Empty />}
        </figure>
      </div>
      <FirstMismatches output={output} />
    </article>
  );
}

const Empty = () => <p class="empty">{NOT_MEASURED}</p>;
