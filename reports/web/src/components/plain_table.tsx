import type { ComponentChildren } from 'preact';
import { Exported } from './exported';
import { Head } from './tips';

export interface PlainColumn<Row> {
  head: string;
  says?: string; // what the column means
  num?: boolean;
  class?: string; // of its cells
  cell: (row: Row) => ComponentChildren;
}

interface Props<Row> {
  name: string; // of its CSV file
  label: string;
  columns: PlainColumn<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
}

// A table that is drawn whole, with its export.
export function PlainTable<Row>({ name, label, columns, rows, rowKey }: Props<Row>) {
  return (
    <Exported name={name}>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
        <table class="plain">
          <thead>
            <tr>
              {columns.map(({ head, says, num }) => (
                <Head key={head} says={says} num={num}>
                  {head}
                </Head>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map(({ head, num, class: name = '', cell }) => (
                  <td key={head} class={`${num ? 'num' : ''} ${name}`}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}
