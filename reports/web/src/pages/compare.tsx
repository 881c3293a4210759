import type { Compare, RunComparison, RunComparisonPart, RunSummary } from '../api/messages';
import { useApi } from '../api/use_api';
import { Badges } from '../components/badges';
import { ChipLink, chipName } from '../components/chip_link';
import { Figures } from '../components/figures';
import { Link } from '../components/link';
import { Empty, Loading } from '../components/message';
import { PartialMark } from '../components/partial_mark';
import { time } from '../lib/format';
import { t } from '../lib/i18n';
import { navigate, to, usePlace, withQuery } from '../lib/router';
import { useTitle } from '../lib/title';
import { CompareRows } from './compare_rows';

function label(run: RunSummary): string {
  const version = run.impl_version || t('common.no_version');
  return `${time(run.created)}  ${version}  ${run.impl_sha256.slice(0, 8)}  ${run.run_id}`;
}

// A run, or a chip's latest, for one side.
function Picker({ name, runs }: { name: 'a' | 'b'; runs: RunSummary[] }) {
  const place = usePlace();
  const value = place.query.get(name) ?? '';
  const chips = [...new Set(runs.map((run) => run.chip))].sort();
  const known = value === '' || runs.some((run) => run.run_id === value);
  return (
    <label class="picker">
      <span class="side">{name.toUpperCase()}</span>
      <select
        aria-label={t('compare.run', { side: name.toUpperCase() })}
        value={value}
        onChange={(event) => navigate(withQuery(place, { [name]: event.currentTarget.value }))}
      >
        <option value="">{t('compare.choose')}</option>
        {!known && <option value={value}>{value}</option>}
        {chips.map((chip) => (
          <optgroup key={chip} label={chipName(chip)}>
            {runs
              .filter((run) => run.chip === chip)
              .map((run, i) => (
                <option key={run.run_id} value={run.run_id}>
                  {i === 0 ? t('compare.latest', { run: label(run) }) : label(run)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function Side({ name, run }: { name: string; run: RunSummary }) {
  return (
    <section class="card compare-side" aria-label={t('compare.run', { side: name })}>
      <p class="head-line">
        <span class="side">{name}</span>
        <strong class="chip-name">
          <ChipLink chip={run.chip} />
        </strong>
        <Link class="mono cut" href={to.run(run.run_id)}>
          {run.run_id}
        </Link>
        <PartialMark run={run} />
        <span class="spring" />
        <Badges badges={run.badges} contracts={run.contracts} />
      </p>
      <Figures run={run} />
    </section>
  );
}

function comparable({ identity, judged }: RunComparison): string {
  const names = (parts: RunComparisonPart[]) =>
    parts.map((part) => t(`part.${part}`)).join(t('common.list_separator'));
  if (identity.length + judged.length === 0) return t('compare.same');
  const texts = [
    identity.length === 0 ? t('compare.same_variant') : t('compare.differ', { parts: names(identity) }),
  ];
  if (judged.length > 0) texts.push(t('compare.judged', { parts: names(judged) }));
  return texts.join(' ');
}

function timesCompared(times: RunComparison['times']): string {
  if (times === null || times.kind === 'same_library') return t('times.same_library');
  const runs = { a: times.runs_a, b: times.runs_b };
  if (times.kind === 'compared') return t('times.compared', runs);
  return t('times.too_few_runs', { ...runs, needed: times.needed });
}

function Body({ data }: { data: Compare }) {
  return (
    <>
      <div class="compare-sides">
        <Side name="A" run={data.a} />
        <Side name="B" run={data.b} />
      </div>
      <p class={data.same_variant ? 'notice' : 'notice notice-note'}>
        {comparable(data.comparison)} {timesCompared(data.comparison.times)}
      </p>
      <CompareRows data={data} />
    </>
  );
}

export function ComparePageView() {
  useTitle(t('app.compare'));
  const place = usePlace();
  const a = place.query.get('a') ?? '';
  const b = place.query.get('b') ?? '';
  const runs = useApi<{ runs: RunSummary[] }>('/runs?limit=500');
  const both = a !== '' && b !== '';
  const compared = useApi<Compare>(
    both ? `/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}` : null,
  );
  return (
    <>
      <h1>{t('app.compare')}</h1>
      <Loading loaded={runs}>
        {(data) => (
          <div class="pickers">
            <Picker name="a" runs={data.runs} />
            <button
              type="button"
              onClick={() => navigate(withQuery(place, { a: b, b: a }))}
              aria-label={t('compare.swap')}
              title={t('compare.swap')}
            >
              ⇄
            </button>
            <Picker name="b" runs={data.runs} />
          </div>
        )}
      </Loading>
      {both ? (
        <Loading loaded={compared}>{(data) => <Body data={data} />}</Loading>
      ) : (
        <Empty>{t('compare.explain')}</Empty>
      )}
    </>
  );
}
