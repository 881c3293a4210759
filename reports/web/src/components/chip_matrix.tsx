import type { ComponentChildren } from 'preact';
import { MANY, matching } from '../lib/chips';
import { count } from '../lib/format';
import { t } from '../lib/i18n';
import { usePlace } from '../lib/router';
import { ChipLink } from './chip_link';
import { Exported } from './exported';
import { Head } from './tips';

export type Looks<Kind extends string> = Record<Kind, { sign: string; tone: string }>;

interface Props<Row, Kind extends string> {
  name: string; // of its CSV file
  label: string;
  class?: string;
  heads: ComponentChildren; // of the columns before the chips
  chips: string[];
  chipSays?: string;
  mark?: (chip: number) => ComponentChildren; // beside a chip's name
  totals?: (chips: number[]) => ComponentChildren; // the first row
  rows: Row[];
  rowKey: (row: Row) => string;
  lead: (row: Row) => ComponentChildren; // the row's cells before the chips
  cell: (row: Row, chip: number) => ComponentChildren;
  kind: (row: Row, chip: number) => Kind;
  looks: Looks<Kind>;
  says: (kind: Kind) => string;
}

// A row's cells in one: how many chips have each kind.
function Counts<Kind extends string>({
  kinds,
  looks,
  says,
}: {
  kinds: Kind[];
  looks: Looks<Kind>;
  says: (kind: Kind) => string;
}) {
  return (
    <td class="kind-counts">
      {(Object.keys(looks) as Kind[]).map((kind) => {
        const n = kinds.filter((one) => one === kind).length;
        return (
          <span key={kind} class={n > 0 ? `tone-${looks[kind].tone}` : 'muted'} title={says(kind)}>
            {looks[kind].sign} {count(n)}
          </span>
        );
      })}
    </td>
  );
}

// Rows by chips: a column for each chip that the filter `chip` of the address leaves, or, where these are
// too many to be read side by side, how many have each kind of cell.
export function ChipMatrix<Row, Kind extends string>(props: Props<Row, Kind>) {
  const { chips, mark, totals, rows, rowKey, kind, looks, says } = props;
  const shown = matching(chips, usePlace().query.get('chip') ?? '');
  const many = shown.length > MANY;
  return (
    <Exported name={props.name}>
      <div class={`coverage-scroll ${props.class ?? ''}`} tabIndex={0} role="region" aria-label={props.label}>
        <table class="plain coverage">
          <thead>
            <tr>
              {props.heads}
              {many && <Head says={t('term.many_chips')}>{t('chips.counted', { n: shown.length })}</Head>}
              {!many &&
                shown.map((i) => (
                  <Head key={i} says={props.chipSays}>
                    <ChipLink chip={chips[i] ?? ''} />
                    {mark?.(i)}
                  </Head>
                ))}
            </tr>
          </thead>
          <tbody>
            {!many && totals?.(shown)}
            {rows.map((row) => (
              <tr key={rowKey(row)}>
                {props.lead(row)}
                {many ? (
                  <Counts kinds={shown.map((i) => kind(row, i))} looks={looks} says={says} />
                ) : (
                  shown.map((i) => props.cell(row, i))
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}

export function Legend<Kind extends string>({
  looks,
  says,
}: {
  looks: Looks<Kind>;
  says: (kind: Kind) => string;
}) {
  return (
    <p class="legend small muted">
      {(Object.keys(looks) as Kind[]).map((kind) => (
        <span key={kind}>
          <span class={`tone-${looks[kind].tone}`}>{looks[kind].sign}</span> {says(kind)}
        </span>
      ))}
    </p>
  );
}
