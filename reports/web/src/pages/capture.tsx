import type { CapturedCall, CapturePage } from '../api/capture_types';
import { useApi } from '../api/use_api';
import { CopyCommand } from '../components/copy_command';
import { Exported } from '../components/exported';
import { Loading } from '../components/message';
import { Facts } from '../components/provenance';
import { Head } from '../components/tips';
import { bytes, count, micros, time } from '../lib/format';
import { t } from '../lib/i18n';
import { useTitle } from '../lib/title';

function Row({ one }: { one: CapturedCall }) {
  return (
    <tr>
      <td class="num">{count(one.order)}</td>
      <td class="mono" title={one.file}>
        {one.function}
      </td>
      <td>{one.dtype}</td>
      <td class="num">{count(one.step)}</td>
      <td class="num mono">{one.thread}</td>
      <td class="mono">{one.stream}</td>
      <td class="num nowrap">{micros(one.start_us)}</td>
      <td class="num nowrap">{micros(one.took_us)}</td>
      <td class={one.returned === 0 ? 'num' : 'num tone-bad'}>{one.returned}</td>
      <td class="num nowrap">{bytes(one.bytes)}</td>
      <td class="small">{one.arguments}</td>
    </tr>
  );
}

function Table({ list }: { list: CapturedCall[] }) {
  return (
    <Exported name="captured-calls">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('captures.calls')}>
        <table class="plain">
          <thead>
            <tr>
              <Head says={t('term.captured_order')} num>
                {t('captures.order')}
              </Head>
              <Head>{t('column.function')}</Head>
              <Head>{t('common.dtype')}</Head>
              <Head says={t('term.captured_step')} num>
                {t('captures.step')}
              </Head>
              <Head says={t('term.captured_thread')} num>
                {t('captures.thread')}
              </Head>
              <Head>{t('captures.stream')}</Head>
              <Head says={t('term.captured_start')} num>
                {t('captures.start')}
              </Head>
              <Head says={t('term.captured_took')} num>
                {t('captures.took')}
              </Head>
              <Head says={t('term.captured_returned')} num>
                {t('captures.returned')}
              </Head>
              <Head says={t('term.captured_bytes')} num>
                {t('captures.size')}
              </Head>
              <Head says={t('term.captured_arguments')}>{t('captures.arguments')}</Head>
            </tr>
          </thead>
          <tbody>
            {list.map((one) => (
              <Row key={one.file} one={one} />
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
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
        <p class="tone-bad" key={text}>
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
