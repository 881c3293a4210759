import type { LabPage, OperatorCounts } from '../api/messages';
import { ChipLink } from '../components/chip_link';
import { Exported } from '../components/exported';
import { FilterSelect } from '../components/filter_select';
import { KindCounts, KindCountsHead } from '../components/kind_counts';
import { Link } from '../components/link';
import { SearchField } from '../components/search_field';
import { Head } from '../components/tips';
import { MANY, matching } from '../lib/chips';
import { t } from '../lib/i18n';
import { filterOperators, OPERATOR_LOOKS, operatorKind, type OperatorKind } from '../lib/lab';
import { to, usePlace } from '../lib/router';

const KINDS = Object.keys(OPERATOR_LOOKS) as OperatorKind[];

function Cell({
  cell,
  chip,
  run,
  name,
}: {
  cell: OperatorCounts | null;
  chip: string;
  run: string;
  name: string;
}) {
  const kind = operatorKind(cell);
  const { sign, tone } = OPERATOR_LOOKS[kind];
  const says = t(`lab_operator.${kind}`);
  const content = (
    <>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {kind === 'absent' ? (
        <span class="visually-hidden">{says}</span>
      ) : (
        <span class="num">
          {cell?.passed}/{cell?.cases}
        </span>
      )}
    </>
  );
  return (
    <td
      class={`coverage-cell tone-${tone}`}
      title={t('lab.cell', { operator: name, chip, says, failed: cell?.failed ?? 0 })}
    >
      {cell ? <Link href={to.run(run, { operator: name })}>{content}</Link> : content}
    </td>
  );
}

// Operators by chips, in each chip's newest run.
export function LabOperators({ page }: { page: LabPage }) {
  const { query } = usePlace();
  const rows = filterOperators(page, query.get('q') ?? '', query.get('show') ?? '');
  const shown = matching(
    page.chips.map(({ chip }) => chip),
    query.get('chip') ?? '',
  );
  const many = shown.length > MANY;
  return (
    <>
      <div class="filters">
        <SearchField label={t('operators.operator')} />
        <FilterSelect
          label={t('coverage.some_chip')}
          name="show"
          options={KINDS.map((value) => ({ value, text: t(`lab_operator.${value}`) }))}
        />
        <span class="spring" />
        <span class="muted small" role="status">
          {t('lab.operator_count', { n: rows.length, all: page.operators.length })}
        </span>
      </div>
      <Exported name="operators">
        <div class="coverage-scroll lab-operators" tabIndex={0} role="region" aria-label={t('lab.operators')}>
          <table class="plain coverage by-chip">
            <thead>
              <tr>
                <Head>{t('operators.operator')}</Head>
                {many && <KindCountsHead n={shown.length} />}
                {!many &&
                  shown.map((i) => (
                    <Head key={i}>
                      <ChipLink chip={page.chips[i]?.chip ?? ''} />
                    </Head>
                  ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ operator, cells }) => (
                <tr key={operator}>
                  <th scope="row" class="mono">
                    {operator}
                  </th>
                  {many && (
                    <KindCounts
                      kinds={shown.map((i) => operatorKind(cells[i] ?? null))}
                      looks={OPERATOR_LOOKS}
                      says={(kind) => t(`lab_operator.${kind}`)}
                    />
                  )}
                  {!many &&
                    shown.map((i) => (
                      <Cell
                        key={i}
                        cell={cells[i] ?? null}
                        chip={page.chips[i]?.chip ?? ''}
                        run={page.chips[i]?.run?.run_id ?? ''}
                        name={operator}
                      />
                    ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Exported>
      <p class="legend small muted">
        {KINDS.map((kind) => (
          <span key={kind}>
            <span class={`tone-${OPERATOR_LOOKS[kind].tone}`}>{OPERATOR_LOOKS[kind].sign}</span>{' '}
            {t(`lab_operator.${kind}`)}
          </span>
        ))}
      </p>
    </>
  );
}
