import type { CapturePage, CapturedCall } from '../api/messages';
import { useApi } from '../api/use_api';
import { CopyCommand } from '../components/copy_command';
import { Loading } from '../components/message';
import { PlainTable, type PlainColumn } from '../components/plain_table';
import { Facts } from '../components/provenance';
import { bytes, count, micros, time } from '../lib/format';
import { t } from '../lib/i18n';
import { useTitle } from '../lib/title';

const columns = (): PlainColumn<CapturedCall>[] => [
  { head: t('captures.order'), says: t('term.captured_order'), num: true, cell: (one) => count(one.order) },
  {
    head: t('column.function'),
    class: 'mono',
    cell: (one) => <span title={one.file}>{one.function}</span>,
  },
  { head: t('common.dtype'), cell: (one) => one.dtype },
  { head: t('captures.step'), says: t('term.captured_step'), num: true, cell: (one) => count(one.step) },
  {
    head: t('captures.thread'),
    says: t('term.captured_thread'),
    num: true,
    class: 'mono',
    cell: (one) => one.thread,
  },
  { head: t('captures.stream'), class: 'mono', cell: (one) => one.stream },
  {
    head: t('captures.start'),
    says: t('term.captured_start'),
    num: true,
    class: 'nowrap',
    cell: (one) => micros(one.start_us),
  },
  {
    head: t('captures.took'),
    says: t('term.captured_took'),
    num: true,
    class: 'nowrap',
    cell: (one) => micros(one.took_us),
  },
  {
    head: t('captures.returned'),
    says: t('term.captured_returned'),
    num: true,
    cell: (one) => <span class={one.returned === 0 ? '' : 'tone-bad'}>{one.returned}</span>,
  },
  {
    head: t('captures.size'),
    says: t('term.captured_bytes'),
    num: true,
    class: 'nowrap',
    cell: (one) => bytes(one.bytes),
  },
  {
    head: t('captures.arguments'),
    says: t('term.captured_arguments'),
    class: 'small',
    cell: (one) => one.arguments,
  },
];

function Table({ list }: { list: CapturedCall[] }) {
  return (
    <PlainTable
      name="captured-calls"
      label={t('captures.calls')}
      columns={columns()}
      rows={list}
      rowKey={({ file }) => file}
    />
  );
}

function Calls({ capture }: { capture: CapturePage }) {
  const read = capture.list.length + capture.damaged.length;
  return (
    <>
      <section class="card head-card">
        <Facts
          facts={[
            { name: t('captures.calls'), value: count(capture.calls) },
            { name: t('captures.functions'), value: count(capture.functions) },
            { name: t('captures.processes'), value: count(capture.processes) },
            { name: t('captures.threads'), value: count(capture.threads) },
            { name: t('captures.size'), value: bytes(capture.bytes) },
            { name: t('captures.newest'), value: time(capture.newest) },
            { name: t('column.library'), value: <code class="path">{capture.library}</code> },
          ]}
        />
        <p class="small muted">{t('captures.replay')}</p>
        <CopyCommand command={capture.command} />
      </section>
      <h2 class="section">{t('captures.calls')}</h2>
      {read < capture.calls && (
        <p class="small muted">{t('captures.first', { shown: read, n: capture.calls })}</p>
      )}
      {capture.damaged.map((text) => (
        <p class="tone-bad" lang="en" key={text}>
          {text}
        </p>
      ))}
      <Table list={capture.list} />
    </>
  );
}

export function CapturePageView({ capture }: { capture: string }) {
  useTitle(capture, t('captures.title'));
  const loaded = useApi<CapturePage>(`/captures/${encodeURIComponent(capture)}`);
  return (
    <>
      <h1>{capture}</h1>
      <Loading loaded={loaded}>{(data) => <Calls capture={data} />}</Loading>
    </>
  );
}
