import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { download, tableRows, toCsv } from '../lib/csv';
import { t } from '../lib/i18n';

interface Props {
  name: string; // of the file, without .csv
  rows?: () => string[][]; // with the heads; absent: those of the table in the document
  children: ComponentChildren;
}

// A table with a button that saves it as CSV.
export function Exported({ name, rows, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const save = () => {
    const table = box.current?.querySelector('table');
    if (rows) download(`${name}.csv`, toCsv(rows()));
    else if (table) download(`${name}.csv`, toCsv(tableRows(table)));
  };
  return (
    <div class="exported" ref={box}>
      {children}
      <button type="button" class="export" title={t('table.export_says')} onClick={save}>
        {t('table.export')}
      </button>
    </div>
  );
}
