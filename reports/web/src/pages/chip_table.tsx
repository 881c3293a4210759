import { useMemo } from 'preact/hooks';
import type { ChipRow } from '../api/messages';
import { ChipLink, chipName } from '../components/chip_link';
import { DataTable, type Column } from '../components/data_table';
import { PartialMark } from '../components/partial_mark';
import { readSort, sortRows } from '../lib/cases';
import { ago, count, share, time } from '../lib/format';
import { t } from '../lib/i18n';
import { to, usePlace } from '../lib/router';
import { Failing } from './chip_card';

// What the columns sort by; null: no complete run.
interface Line {
  chip: string;
  library: string;
  passing: number | null;
  called: number | null;
  correctness: number | null;
  failed: number | null;
  created: string | null;
  row: ChipRow;
}

const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : null);

function lineOf(row: ChipRow): Line {
  const { complete: run, latest } = row;
  return {
    chip: chipName(row.chip),
    library: `${row.vendor_name} ${(run ?? latest).impl_version}`,
    passing: run && run.coverage.passing,
    called: run && ratio(run.correctness.called, run.correctness.asked),
    correctness: run && ratio(run.correctness.passed, run.correctness.called),
    failed: run && run.failed,
    created: (run ?? latest).created,
    row,
  };
}

const figure = (value: number | null, text: string) => (value === null ? '–' : text);

function columns(): Column<Line>[] {
  return [
    {
      key: 'chip',
      head: t('common.chip'),
      width: '',
      cell: ({ row, library }) => (
        <>
          <ChipLink chip={row.chip} />
          <span class="under muted cut">{row.complete ? library : t('chip.no_complete')}</span>
        </>
      ),
    },
    {
      key: 'library',
      head: t('column.library'),
      says: t('term.library'),
      width: '22%',
      wide: true,
      cell: ({ library }) => <span class="cut">{library}</span>,
    },
    {
      key: 'passing',
      head: t('runs.passing'),
      says: t('term.passing'),
      width: '84px',
      numeric: true,
      cell: ({ passing }) => figure(passing, count(passing)),
    },
    {
      key: 'called',
      head: t('figures.called'),
      says: t('term.called'),
      width: '86px',
      numeric: true,
      wide: true,
      cell: ({ called }) => figure(called, share(called)),
    },
    {
      key: 'correctness',
      head: t('runs.correctness'),
      says: t('term.correctness'),
      width: '86px',
      numeric: true,
      cell: ({ correctness }) => figure(correctness, share(correctness)),
    },
    {
      key: 'failed',
      head: t('runs.fail'),
      says: t('term.failed'),
      width: '116px',
      numeric: true,
      wide: true,
      cell: ({ row }) => (row.complete ? <Failing run={row.complete} /> : <PartialMark run={row.latest} />),
    },
    {
      key: 'created',
      head: t('column.started'),
      width: '17%',
      wide: true,
      cell: ({ created }) => (
        <time dateTime={created ?? ''} title={time(created)}>
          {ago(created)}
        </time>
      ),
    },
  ];
}

// The chips of a large lab, a line each.
export function ChipTable({ rows }: { rows: ChipRow[] }) {
  const { query } = usePlace();
  const sort = readSort(query);
  const lines = useMemo(() => sortRows(rows.map(lineOf), sort), [rows, query.get('sort')]);
  return (
    <DataTable
      label={t('app.chips')}
      name="chips"
      rows={lines}
      columns={columns()}
      rowKey={({ row }) => row.chip}
      rowHref={({ row }) => to.chip(row.chip)}
      sort={sort}
      empty={t('chips.no_match')}
    />
  );
}
