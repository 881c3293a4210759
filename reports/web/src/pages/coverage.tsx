import { useMemo } from 'preact/hooks';
import type { ChipRow, CoverageCell, CoveragePage } from '../api/messages';
import { useApi } from '../api/use_api';
import { ChipMatrix, Legend } from '../components/chip_matrix';
import { FilterSelect } from '../components/filter_select';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { PartialMark } from '../components/partial_mark';
import { SearchField } from '../components/search_field';
import { Head } from '../components/tips';
import { countBy } from '../lib/cases';
import { MANY } from '../lib/chips';
import { CELL_LOOKS, cellKind, filterFunctions, totals, type CellKind } from '../lib/coverage';
import { count, percent } from '../lib/format';
import { t } from '../lib/i18n';
import { to, usePlace } from '../lib/router';
import { useTitle } from '../lib/title';

function Cell({ cell, chip, name }: { cell: CoverageCell | null; chip: string; name: string }) {
  const kind = cellKind(cell);
  const { sign, tone } = CELL_LOOKS[kind];
  const label = t(`coverage.${kind}`);
  const where = { function: name, chip, says: label };
  const says =
    cell && cell.cases > 0
      ? t('coverage.cell_counted', { ...where, passed: cell.passed, cases: cell.cases })
      : t('coverage.cell', where);
  const content = (
    <>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {kind === 'passing' || kind === 'failing' ? (
        <span class="num">
          {cell?.passed}/{cell?.cases}
        </span>
      ) : (
        <span class="visually-hidden">{label}</span>
      )}
    </>
  );
  return (
    <td class={`coverage-cell tone-${tone}`} title={says}>
      {cell?.run_id && cell.cases > 0 ? (
        <Link href={to.run(cell.run_id, { q: name })}>{content}</Link>
      ) : (
        content
      )}
    </td>
  );
}

function Totals({ page, shown }: { page: CoveragePage; shown: number[] }) {
  const sums = useMemo(() => totals(page), [page]);
  return (
    <tr class="totals">
      <th scope="row">
        {t('common.all')} <span class="muted">{count(page.functions.length)}</span>
      </th>
      <td />
      {shown.map((i) => {
        const s = sums[i];
        const chip = page.chips[i];
        if (!s) return <td key={chip} />;
        const implemented = page.functions.length - s.absent;
        return (
          <td key={chip} class="coverage-cell">
            {t('coverage.implemented', { share: percent(implemented, page.functions.length) })}
            <br />
            <span class="tone-good">✓ {count(s.passing)}</span>{' '}
            <span class="tone-bad">✕ {count(s.failing)}</span>{' '}
            <span class="muted">◌ {count(s.untested)}</span>
          </td>
        );
      })}
    </tr>
  );
}

// A mark for a chip that has only partial runs.
function OnlyPartial({ row }: { row: ChipRow | undefined }) {
  return row && !row.complete ? <PartialMark run={row.latest} /> : null;
}

function Filters({ page, left }: { page: CoveragePage; left: number }) {
  const families = useMemo(() => [...countBy(page.functions, (f) => f.family ?? 'none')].sort(), [page]);
  return (
    <div class="filters">
      <SearchField label={t('column.function')} />
      {page.chips.length > MANY && <SearchField label={t('common.chip')} name="chip" />}
      <FilterSelect
        label={t('coverage.family')}
        name="family"
        options={families.map(([value, n]) => ({
          value,
          text: t('filter.counted', { value: value === 'none' ? t('coverage.not_in_suite') : value, n }),
        }))}
      />
      <FilterSelect
        label={t('coverage.some_chip')}
        name="show"
        options={(Object.keys(CELL_LOOKS) as CellKind[]).map((value) => ({
          value,
          text: t(`coverage.${value}`),
        }))}
      />
      <span class="spring" />
      <span class="muted small" role="status">
        {t('coverage.count', { n: left, all: page.functions.length })}
      </span>
    </div>
  );
}

const says = (kind: CellKind) => t(`coverage.${kind}`);

function Matrix({ page }: { page: CoveragePage }) {
  const chips = useApi<{ chips: ChipRow[] }>(page.chips.length > MANY ? null : '/chips');
  const { query } = usePlace();
  const key = query.toString();
  const functions = useMemo(
    () =>
      filterFunctions(page.functions, {
        text: query.get('q') ?? '',
        family: query.get('family') ?? '',
        show: query.get('show') ?? '',
      }),
    [page, key],
  );
  return (
    <>
      <Filters page={page} left={functions.length} />
      <ChipMatrix
        name="coverage"
        label={t('coverage.label')}
        heads={
          <>
            <Head>{t('column.function')}</Head>
            <Head says={t('term.family')}>{t('coverage.family')}</Head>
          </>
        }
        chips={page.chips}
        mark={(i) => <OnlyPartial row={chips.data?.chips.find((row) => row.chip === page.chips[i])} />}
        totals={(shown) => <Totals page={page} shown={shown} />}
        rows={functions}
        rowKey={({ name }) => name}
        lead={({ name, family }) => (
          <>
            <th scope="row" class="mono">
              {name}
            </th>
            <td class="muted">{family ?? t('coverage.not_in_suite')}</td>
          </>
        )}
        kind={({ cells }, i) => cellKind(cells[i] ?? null)}
        looks={CELL_LOOKS}
        says={says}
        cell={({ name, cells }, i) => (
          <Cell key={i} cell={cells[i] ?? null} chip={page.chips[i] ?? ''} name={name} />
        )}
      />
      <Legend looks={CELL_LOOKS} says={says} />
    </>
  );
}

export function CoveragePageView() {
  useTitle(t('app.coverage'));
  const loaded = useApi<CoveragePage>('/coverage');
  return (
    <>
      <h1>{t('app.coverage')}</h1>
      <Loading loaded={loaded}>
        {(page) => (page.chips.length === 0 ? <Empty>{t('coverage.no_run')}</Empty> : <Matrix page={page} />)}
      </Loading>
    </>
  );
}
