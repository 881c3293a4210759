import type { ExplorationRow } from '../api/messages';
import { useApi } from '../api/use_api';
import { ago, count, seconds, shortHash, time } from '../lib/format';
import { t } from '../lib/i18n';
import { textOr } from '../lib/findings';
import { to } from '../lib/router';
import { ChipLink } from './chip_link';
import { Exported } from './exported';
import { Link } from './link';
import { StateMark } from './state_mark';
import { Head } from './tips';

// "5,000 calls" or "2 h 0 min": what an exploration was asked for.
export const askedText = (asked: { asked_calls: number | null; asked_seconds: number | null }): string =>
  asked.asked_calls !== null ? t('explore.n_calls', { n: asked.asked_calls }) : seconds(asked.asked_seconds);

function Row({ one, chip }: { one: ExplorationRow; chip: boolean }) {
  return (
    <tr>
      <td>
        <Link href={to.run(one.run_id)} class="mono">
          {one.run_id}
        </Link>
      </td>
      {chip && (
        <td>
          <ChipLink chip={one.chip} />
        </td>
      )}
      <td>
        <StateMark state={one.state} />
      </td>
      <td class="nowrap" title={ago(one.created)}>
        <time dateTime={one.created ?? ''}>{time(one.created)}</time>
      </td>
      <td class="nowrap">{askedText(one)}</td>
      <td class="num mono">{one.seed}</td>
      <td class="num" title={textOr(one.selection_found, one.selection)}>
        {count(one.functions_called)}
      </td>
      <td class="num">{count(one.calls)}</td>
      <td class={one.failed > 0 ? 'num tone-bad' : 'num'}>{count(one.failed)}</td>
      <td class={one.causes > 0 ? 'num tone-bad' : 'num'}>{count(one.causes)}</td>
      <td class="wide nowrap">
        {one.impl_version || t('common.no_version')} <code class="hash">{shortHash(one.impl_sha256)}</code>
      </td>
    </tr>
  );
}

function Table({ list, chip }: { list: ExplorationRow[]; chip: boolean }) {
  return (
    <Exported name="explorations">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('explore.title')}>
        <table class="plain">
          <thead>
            <tr>
              <Head>{t('explore.one')}</Head>
              {chip && <Head>{t('common.chip')}</Head>}
              <Head says={t('term.state')}>{t('runs.state')}</Head>
              <Head>{t('column.started')}</Head>
              <Head says={t('term.explore_asked')}>{t('explore.asked')}</Head>
              <Head says={t('term.explore_seed')} num>
                {t('explore.seed')}
              </Head>
              <Head says={t('term.explore_functions')} num>
                {t('explore.functions')}
              </Head>
              <Head says={t('term.explore_calls')} num>
                {t('explore.calls')}
              </Head>
              <Head says={t('term.explore_failed')} num>
                {t('explore.failed')}
              </Head>
              <Head says={t('term.explore_causes')} num>
                {t('explore.causes')}
              </Head>
              <Head says={t('term.library')} class="wide">
                {t('column.library')}
              </Head>
            </tr>
          </thead>
          <tbody>
            {list.map((one) => (
              <Row key={one.run_id} one={one} chip={chip} />
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}

const SHOWN = 20;

// The newest explorations, of one chip or of all.
export function useExplorations(chip?: string): ExplorationRow[] {
  const of = chip === undefined ? '' : `&chip=${encodeURIComponent(chip)}`;
  const { data } = useApi<{ explorations: ExplorationRow[] }>(`/explorations?limit=${SHOWN}${of}`, 5000);
  return data?.explorations ?? [];
}

// Nothing where there are none. `chip`: each row names its chip.
export function Explorations({ list, chip }: { list: ExplorationRow[]; chip: boolean }) {
  if (list.length === 0) return null;
  return (
    <>
      <h2 class="section">{t('explore.title')}</h2>
      <p class="small muted">{t('explore.says')}</p>
      <Table list={list} chip={chip} />
    </>
  );
}
