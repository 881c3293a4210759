import type { Heat } from '../api/types';
import { heatRows, shortDtype, type HeatLook } from '../lib/heat';
import { to } from '../lib/router';
import { Link } from './link';
import { Head } from './tips';

function words(operator: string, dtype: string, cell: HeatLook): string {
  const parts = [`${cell.passed} of ${cell.cases} pass`];
  if (cell.failed > 0) parts.push(`${cell.failed} fail`);
  if (cell.other > 0) parts.push(`${cell.other} not called, skipped or waived`);
  return `${operator}, ${dtype}: ${parts.join(', ')}`;
}

// Operators by dtype. A cell shows how many cases fail, or ✓ when none does and ○ when none was
// called, and links to these cases.
export function HeatMap({ heat, run }: { heat: Heat; run: string }) {
  return (
    <>
      <div class="heat-scroll" tabIndex={0} role="region" aria-label="Heat map of operators and dtypes">
        <table class="heat">
          <thead>
            <tr>
              <th scope="col">Operator</th>
              {heat.dtypes.map((dtype) => (
                <Head key={dtype} says={dtype}>
                  {shortDtype(dtype)}
                </Head>
              ))}
            </tr>
          </thead>
          <tbody>
            {heatRows(heat).map(({ operator, cells }) => (
              <tr key={operator}>
                <th scope="row">
                  <Link href={to.run(run, { operator })}>{operator}</Link>
                </th>
                {cells.map((cell, i) => {
                  const dtype = heat.dtypes[i] ?? '';
                  if (!cell) return <td key={dtype} />;
                  const says = words(operator, dtype, cell);
                  return (
                    <td key={dtype}>
                      <Link
                        href={to.run(run, { operator, dtype })}
                        class={`heat-cell heat-${cell.kind}-${cell.level}`}
                        title={says}
                        aria-label={says}
                      >
                        {cell.text}
                      </Link>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="legend small muted">
        <span class="heat-cell heat-good-2">✓</span> all pass <span class="heat-cell heat-good-1">✓·</span>{' '}
        some not called <span class="heat-cell heat-bad-1">1</span>
        <span class="heat-cell heat-bad-4">9</span> that many fail, darker: a larger share{' '}
        <span class="heat-cell heat-none-0">○</span> none called; empty: no case
      </p>
    </>
  );
}
