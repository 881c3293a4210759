import type { Heat } from '../api/messages';
import { heatRows, shortDtype, type HeatLook } from '../lib/heat';
import { t } from '../lib/i18n';
import { to } from '../lib/router';
import { Exported } from './exported';
import { Link } from './link';
import { Head } from './tips';

function words(operator: string, dtype: string, cell: HeatLook): string {
  const parts = [t('heat.pass', { passed: cell.passed, cases: cell.cases })];
  if (cell.failed > 0) parts.push(t('heat.fail', { n: cell.failed }));
  if (cell.other > 0) parts.push(t('heat.other', { n: cell.other }));
  return `${operator}, ${dtype}: ${parts.join(t('common.list_separator'))}`;
}

// Operators by dtype. A cell shows how many cases fail, or ✓ when none does and ○ when none was
// called, and links to these cases.
export function HeatMap({ heat, run }: { heat: Heat; run: string }) {
  return (
    <>
      <Exported name="operators_by_dtype">
        <div class="heat-scroll" tabIndex={0} role="region" aria-label={t('heat.label')}>
          <table class="heat">
            <thead>
              <tr>
                <th scope="col">{t('operators.operator')}</th>
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
      </Exported>
      <p class="legend small muted">
        <span class="nowrap">
          <span class="heat-cell heat-good-2">✓</span> {t('heat.all_pass')}
        </span>{' '}
        <span class="nowrap">
          <span class="heat-cell heat-good-1">✓·</span> {t('heat.some')}
        </span>{' '}
        <span class="nowrap">
          <span class="heat-cell heat-bad-1">1</span> <span class="heat-cell heat-bad-4">9</span>{' '}
          {t('heat.many')}
        </span>{' '}
        <span class="nowrap">
          <span class="heat-cell heat-none-0">○</span> {t('heat.no_case')}
        </span>
      </p>
    </>
  );
}
