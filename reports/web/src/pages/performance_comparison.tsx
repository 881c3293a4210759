import { useMemo } from 'preact/hooks';
import type {
  CallChange,
  ChipPerformance,
  ChipRow,
  Interval,
  MeasuredRun,
  Performance,
  PerformanceComparison,
} from '../api/messages';
import { useApi } from '../api/use_api';
import { chipName } from '../components/chip_link';
import { Exported } from '../components/exported';
import { FilterSelect } from '../components/filter_select';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { Head } from '../components/tips';
import { countBy } from '../lib/cases';
import { figure, micros, shortHash, time } from '../lib/format';
import { t } from '../lib/i18n';
import { changeOf, CHANGES, orderChanges, type Change } from '../lib/performance';
import { navigate, to, usePlace, withQuery } from '../lib/router';

const LOOKS: Record<Change, { sign: string; tone: string }> = {
  slower: { sign: '▲', tone: 'bad' },
  faster: { sign: '▼', tone: 'good' },
  same: { sign: '=', tone: 'none' },
};
const factor = (value: number) => value.toFixed(2);

function ChangeMark({ change }: { change: Change }) {
  const { sign, tone } = LOOKS[change];
  return (
    <span class={`mark tone-${tone}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {t(`perf.${change}`)}
    </span>
  );
}

function Functions({ change, names }: { change: 'slower' | 'faster'; names: string[] }) {
  if (names.length === 0) return <p>{t(change === 'slower' ? 'perf.none_slower' : 'perf.none_faster')}</p>;
  const n = names.length;
  return (
    <p>
      <span class={`tone-${LOOKS[change].tone}`}>
        <span aria-hidden="true">{LOOKS[change].sign}</span>{' '}
        {change === 'slower' ? t('perf.slower_functions', { n }) : t('perf.faster_functions', { n })}
      </span>{' '}
      <span class="mono">{names.join(t('common.list_separator'))}</span>
    </p>
  );
}

function Time({ us }: { us: Interval }) {
  return (
    <td class="num wide">
      {micros(us.median)}
      <div class="small muted">{t('compare.range', { low: micros(us.low), high: micros(us.high) })}</div>
    </td>
  );
}

function Row({ call, href }: { call: CallChange; href: string | null }) {
  return (
    <tr>
      <td>
        <ChangeMark change={changeOf(call)} />
      </td>
      <th scope="row" class="mono path">
        {call.function}
        <div class="small">
          {href === null ? <span class="muted">{call.case}</span> : <Link href={href}>{call.case}</Link>}
        </div>
      </th>
      <Time us={call.before_us} />
      <Time us={call.after_us} />
      <td class="num">×{factor(call.ratio)}</td>
      <td class="num muted">{t('compare.range', { low: factor(call.low), high: factor(call.high) })}</td>
      <td class="num">{figure(call.p)}</td>
    </tr>
  );
}

// `hrefs`: the page of each call's judged case.
function Ratios({ calls, hrefs }: { calls: CallChange[]; hrefs: Map<string, string> }) {
  const chosen = usePlace().query.get('change') ?? '';
  const ordered = useMemo(() => orderChanges(calls), [calls]);
  const counts = countBy(calls, changeOf);
  const shown = ordered.filter((call) => chosen === '' || changeOf(call) === chosen);
  if (calls.length === 0) return <Empty>{t('perf.nothing_shared')}</Empty>;
  return (
    <>
      <div class="filters">
        <FilterSelect
          label={t('perf.change')}
          name="change"
          options={CHANGES.filter((change) => counts.has(change)).map((change) => ({
            value: change,
            text: t('filter.counted', { value: t(`perf.${change}`), n: counts.get(change) ?? 0 }),
          }))}
        />
      </div>
      <Exported name="ratios">
        <div class="table-scroll ratios" tabIndex={0} role="region" aria-label={t('perf.changes')}>
          <table class="plain">
            <thead>
              <tr>
                <Head>{t('perf.change')}</Head>
                <Head>{t('column.function')}</Head>
                <Head says={t('term.perf_time')} num class="wide">
                  {t('perf.before')}
                </Head>
                <Head says={t('term.perf_time')} num class="wide">
                  {t('perf.after')}
                </Head>
                <Head says={t('term.perf_ratio')} num>
                  {t('perf.ratio')}
                </Head>
                <Head says={t('term.perf_ratio_interval')} num>
                  {t('perf.ratio_interval')}
                </Head>
                <Head says={t('term.perf_p')} num>
                  {t('perf.p')}
                </Head>
              </tr>
            </thead>
            <tbody>
              {shown.map((call) => (
                <Row key={call.case} call={call} href={hrefs.get(call.case) ?? null} />
              ))}
            </tbody>
          </table>
        </div>
      </Exported>
    </>
  );
}

function Result({ data, comparison }: { data: Performance; comparison: PerformanceComparison }) {
  const { calls, noise, shared, slower, faster } = comparison;
  const hrefs = useMemo(
    () => new Map(data.calls.map((call) => [call.case, to.case(data.run_id, call.judged_case)])),
    [data],
  );
  return (
    <>
      <div class="notice comparison">
        <Functions change="slower" names={slower} />
        <Functions change="faster" names={faster} />
        <p class="small muted">
          {t('perf.compare_says', {
            calls: calls.length,
            factor: factor(comparison.factor),
            noise: factor(noise),
          })}{' '}
          {shared !== 1 && t('perf.shared', { factor: factor(shared) })}
        </p>
      </div>
      <Ratios calls={calls} hrefs={hrefs} />
    </>
  );
}

function label(run: MeasuredRun): string {
  const version = run.impl_version || t('common.no_version');
  return `${time(run.created)}  ${version}  ${shortHash(run.impl_sha256).slice(0, 8)}  ${run.run_id}`;
}

// Which run to compare with: one of a chip's measured runs, newest first.
function Picker({ run, chip }: { run: string; chip: string }) {
  const place = usePlace();
  const of = place.query.get('chip') ?? chip;
  const value = place.query.get('against') ?? '';
  const all = useApi<{ chips: ChipRow[] }>('/chips');
  const measured = useApi<ChipPerformance>(`/performance?chip=${encodeURIComponent(of)}`);
  const chips = [...new Set([chip, of, ...(all.data?.chips ?? []).map((one) => one.chip)])].sort();
  const runs = [...(measured.data?.runs ?? [])].reverse().filter((one) => one.run_id !== run);
  const known = value === '' || runs.some((one) => one.run_id === value);
  return (
    <div class="filters">
      <label class="select">
        <span class="select-label">{t('perf.compare_chip')}</span>
        <select
          value={of}
          onChange={({ currentTarget }) =>
            navigate(
              withQuery(place, {
                chip: currentTarget.value === chip ? null : currentTarget.value,
                ...{ against: null, change: null },
              }),
            )
          }
        >
          {chips.map((one) => (
            <option key={one} value={one}>
              {chipName(one)}
            </option>
          ))}
        </select>
      </label>
      <label class="select against">
        <span class="select-label">{t('perf.compare_run')}</span>
        <select
          value={value}
          onChange={({ currentTarget }) =>
            navigate(withQuery(place, { against: currentTarget.value, change: null }))
          }
        >
          <option value="">{t('perf.choose')}</option>
          {!known && <option value={value}>{value}</option>}
          {runs.map((one) => (
            <option key={one.run_id} value={one.run_id}>
              {label(one)}
            </option>
          ))}
        </select>
      </label>
      {value !== '' && <Link href={to.performance(value)}>{value}</Link>}
      {measured.data && runs.length === 0 && <span class="muted small">{t('perf.no_other')}</span>}
    </div>
  );
}

// Which calls became slower or faster than in another run, beside the noise of both.
export function PerformanceComparison({ run, chip }: { run: string; chip: string }) {
  const against = usePlace().query.get('against') ?? '';
  const path = `/runs/${encodeURIComponent(run)}/performance?against=${encodeURIComponent(against)}`;
  const loaded = useApi<Performance>(against === '' ? null : path);
  return (
    <section aria-labelledby="comparison-title">
      <h2 id="comparison-title">{t('perf.compare')}</h2>
      <Picker run={run} chip={chip} />
      {against !== '' && (
        <Loading loaded={loaded}>
          {(data) => data.comparison && <Result data={data} comparison={data.comparison} />}
        </Loading>
      )}
    </section>
  );
}
