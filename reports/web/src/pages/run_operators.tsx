import { useMemo, useState } from 'preact/hooks';
import type { OperatorRow } from '../api/messages';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Head } from '../components/tips';
import { count } from '../lib/format';
import { t } from '../lib/i18n';
import { usePlace, withQuery } from '../lib/router';

type Order = 'failed' | 'operator';

function order(rows: OperatorRow[], by: Order): OperatorRow[] {
  const named = [...rows].sort((a, b) => a.operator.localeCompare(b.operator));
  return by === 'operator' ? named : named.sort((a, b) => b.failed - a.failed);
}

// The operators of a run; a click filters the cases by one, another click removes the filter.
export function RunOperators({ operators }: { operators: OperatorRow[] }) {
  const place = usePlace();
  const chosen = place.query.get('operator') ?? '';
  const [by, setBy] = useState<Order>('failed');
  const rows = useMemo(() => order(operators, by), [operators, by]);
  const wide = matchMedia('(min-width: 1000px)').matches;
  return (
    <details class="run-operators" open={wide}>
      <summary>
        {t('operators.n', { n: operators.length })}
        {chosen && `: ${chosen}`}
      </summary>
      <Exported name="operators">
        <div class="operators-scroll" tabIndex={0} role="region" aria-label={t('column.operators')}>
          <table class="plain operators">
            <thead>
              <tr>
                <th scope="col" aria-sort={by === 'operator' ? 'ascending' : 'none'}>
                  <button type="button" class="sort" onClick={() => setBy('operator')}>
                    {t('operators.operator')}
                    {by === 'operator' ? ' ↑' : ''}
                  </button>
                </th>
                <Head says={t('term.passed')} num>
                  {t('operators.pass')}
                </Head>
                <th scope="col" class="num" aria-sort={by === 'failed' ? 'descending' : 'none'}>
                  <button
                    type="button"
                    class="sort explained"
                    data-tip={t('term.failed')}
                    onClick={() => setBy('failed')}
                  >
                    {t('operators.fail')}
                    {by === 'failed' ? ' ↓' : ''}
                  </button>
                </th>
                <Head says={t('term.other')} num>
                  {t('operators.other')}
                </Head>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.operator} aria-selected={row.operator === chosen}>
                  <td>
                    <Link
                      href={withQuery(place, {
                        operator: row.operator === chosen ? null : row.operator,
                        view: 'cases',
                      })}
                      aria-current={row.operator === chosen ? 'true' : undefined}
                    >
                      {row.operator || t('common.library_as_a_whole')}
                    </Link>
                  </td>
                  <td class="num">
                    {count(row.passed)}
                    <span class="muted">/{count(row.cases)}</span>
                  </td>
                  <td class={row.failed > 0 ? 'num tone-bad' : 'num muted'}>
                    {row.failed > 0 ? `✕ ${count(row.failed)}` : '0'}
                  </td>
                  <td class="num muted">{count(row.not_implemented + row.other)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Exported>
    </details>
  );
}
