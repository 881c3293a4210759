import type { CaptureSummary, CapturesPage } from '../api/messages';
import { useApi } from '../api/use_api';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { PlainTable, type PlainColumn } from '../components/plain_table';
import { ago, bytes, count, time } from '../lib/format';
import { rich, t } from '../lib/i18n';
import { to } from '../lib/router';
import { useTitle } from '../lib/title';

const columns = (): PlainColumn<CaptureSummary>[] => [
  {
    head: t('captures.one'),
    cell: (one) => (
      <Link href={to.capture(one.name)} class="mono">
        {one.name}
      </Link>
    ),
  },
  { head: t('captures.calls'), says: t('term.captured_calls'), num: true, cell: (one) => count(one.calls) },
  {
    head: t('captures.functions'),
    says: t('term.captured_functions'),
    num: true,
    cell: (one) => count(one.functions),
  },
  {
    head: t('captures.processes'),
    says: t('term.captured_processes'),
    num: true,
    cell: (one) => count(one.processes),
  },
  {
    head: t('captures.size'),
    says: t('term.captured_bytes'),
    num: true,
    class: 'nowrap',
    cell: (one) => bytes(one.bytes),
  },
  {
    head: t('captures.newest'),
    says: t('term.captured_newest'),
    class: 'nowrap',
    cell: (one) => (
      <time dateTime={one.newest} title={ago(one.newest)}>
        {time(one.newest)}
      </time>
    ),
  },
];

function Table({ list }: { list: CaptureSummary[] }) {
  return (
    <PlainTable
      name="captures"
      label={t('captures.title')}
      columns={columns()}
      rows={list}
      rowKey={({ name }) => name}
    />
  );
}

export function CapturesPageView() {
  useTitle(t('captures.title'));
  const loaded = useApi<CapturesPage>('/captures', 5000);
  return (
    <>
      <h1>{t('captures.title')}</h1>
      <p class="small muted">
        {rich('captures.says', {
          setting: <code>DIOPI_TAP_CAPTURE=DATA/captures/NAME</code>,
        })}
      </p>
      <Loading loaded={loaded}>
        {({ captures }) =>
          captures.length === 0 ? <Empty>{t('captures.none')}</Empty> : <Table list={captures} />
        }
      </Loading>
    </>
  );
}
