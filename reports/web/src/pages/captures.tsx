import type { CaptureSummary, CapturesPage } from '../api/capture_types';
import { useApi } from '../api/use_api';
import { Exported } from '../components/exported';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { Head } from '../components/tips';
import { ago, bytes, count, time } from '../lib/format';
import { rich, t } from '../lib/i18n';
import { to } from '../lib/router';
import { useTitle } from '../lib/title';

function Row({ one }: { one: CaptureSummary }) {
  return (
    <tr>
      <td>
        <Link href={to.capture(one.name)} class="mono">
          {one.name}
        </Link>
      </td>
      <td class="num">{count(one.calls)}</td>
      <td class="num">{count(one.functions)}</td>
      <td class="num">{count(one.processes)}</td>
      <td class="num nowrap">{bytes(one.bytes)}</td>
      <td class="nowrap" title={ago(one.newest)}>
        <time dateTime={one.newest}>{time(one.newest)}</time>
      </td>
    </tr>
  );
}

function Table({ list }: { list: CaptureSummary[] }) {
  return (
    <Exported name="captures">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('captures.title')}>
        <table class="plain">
          <thead>
            <tr>
              <Head>{t('captures.one')}</Head>
              <Head says={t('term.captured_calls')} num>
                {t('captures.calls')}
              </Head>
              <Head says={t('term.captured_functions')} num>
                {t('captures.functions')}
              </Head>
              <Head says={t('term.captured_processes')} num>
                {t('captures.processes')}
              </Head>
              <Head says={t('term.captured_bytes')} num>
                {t('captures.size')}
              </Head>
              <Head says={t('term.captured_newest')}>{t('captures.newest')}</Head>
            </tr>
          </thead>
          <tbody>
            {list.map((one) => (
              <Row key={one.name} one={one} />
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
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
