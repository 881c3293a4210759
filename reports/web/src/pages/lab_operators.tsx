import type { LabPage, OperatorCounts } from '../api/messages';
import { ChipMatrix, Legend } from '../components/chip_matrix';
import { FilterSelect } from '../components/filter_select';
import { Link } from '../components/link';
import { SearchField } from '../components/search_field';
import { Head } from '../components/tips';
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

// Operators by chips, in the newest complete run of each.
export function LabOperators({ page }: { page: LabPage }) {
  const { query } = usePlace();
  const rows = filterOperators(page, query.get('q') ?? '', query.get('show') ?? '');
  const says = (kind: OperatorKind) => t(`lab_operator.${kind}`);
  return (
    <>
      <div class="filters">
        <SearchField label={t('operators.operator')} />
        <FilterSelect
          label={t('coverage.some_chip')}
          name="show"
          options={KINDS.map((value) => ({ value, text: says(value) }))}
        />
        <span class="spring" />
        <span class="muted small" role="status">
          {t('lab.operator_count', { n: rows.length, all: page.operators.length })}
        </span>
      </div>
      <ChipMatrix
        name="operators"
        label={t('lab.operators')}
        class="lab-operators"
        heads={<Head>{t('operators.operator')}</Head>}
        chips={page.chips.map(({ chip }) => chip)}
        rows={rows}
        rowKey={({ operator }) => operator}
        lead={({ operator }) => (
          <th scope="row" class="mono">
            {operator}
          </th>
        )}
        kind={({ cells }, i) => operatorKind(cells[i] ?? null)}
        looks={OPERATOR_LOOKS}
        says={says}
        cell={({ operator, cells }, i) => (
          <Cell
            key={i}
            cell={cells[i] ?? null}
            chip={page.chips[i]?.chip ?? ''}
            run={page.chips[i]?.run?.run_id ?? ''}
            name={operator}
          />
        )}
      />
      <Legend looks={OPERATOR_LOOKS} says={says} />
    </>
  );
}
