import type { ShownCause, ExplorationPage, RunPage } from '../api/messages';
import { ChipLink } from '../components/chip_link';
import { CopyCommand } from '../components/copy_command';
import { askedText } from '../components/exploration_table';
import { Exported } from '../components/exported';
import { Empty } from '../components/message';
import { OutcomeBar } from '../components/outcome_bar';
import { OutcomeMark } from '../components/outcome_mark';
import { Facts, Hash, type Fact } from '../components/provenance';
import { StateMark } from '../components/state_mark';
import { Head } from '../components/tips';
import { download } from '../lib/csv';
import { reasonText, textOr } from '../lib/findings';
import { count, fileName, figure, seconds, time } from '../lib/format';
import { t } from '../lib/i18n';
import { Names } from './run_groups';

function HeadCard({ run, done }: { run: RunPage; done: ExplorationPage }) {
  const facts: (Fact | false)[] = [
    run.abort_reason !== null && {
      name: t('facts.aborted'),
      value: textOr(run.abort_reason_found, run.abort_reason),
    },
    { name: t('explore.asked'), value: askedText(done) },
    { name: t('explore.seed'), value: <code>{done.seed}</code> },
    { name: t('facts.selection'), value: textOr(done.selection_found, done.selection) },
    {
      name: t('explore.calls'),
      value: t('explore.calls_of', {
        calls: t('explore.n_calls', { n: done.calls }),
        functions: t('explore.n_functions', { n: done.functions_called }),
        time: seconds(done.seconds),
      }),
    },
    {
      name: t('explore.covered'),
      value: t('explore.classes_pairs', { classes: done.classes, pairs: done.pairs }),
    },
    { name: t('explore.false_alarms'), value: t('explore.at_most', { n: figure(done.false_alarms) }) },
    done.refused > 0 && { name: t('explore.left_out'), value: t('explore.refused', { n: done.refused }) },
    done.given_up.length > 0 && { name: t('explore.given_up'), value: done.given_up.join(' ') },
    {
      name: t('column.library'),
      value: <code class="path">{fileName(run.impl_path) || t('common.unknown')}</code>,
    },
    { name: 'SHA-256', value: <Hash value={run.impl_sha256} /> },
    { name: t('facts.host'), value: run.host || t('common.unknown') },
    { name: t('facts.agent'), value: run.agent_version || t('common.unknown') },
    { name: t('facts.finished'), value: run.finished ? time(run.finished) : t('facts.not_yet') },
  ];
  return (
    <section class="card head-card">
      <p class="head-line">
        <StateMark state={run.state} />
        <strong class="chip-name">
          <ChipLink chip={run.chip} />
        </strong>
        <span>
          {run.vendor_name || t('common.no_vendor')} {run.impl_version || t('common.no_version')}
        </span>
        <span class="spring" />
        <time dateTime={run.created ?? ''}>{time(run.created)}</time>
      </p>
      <p class="small muted">{t('explore.says')}</p>
      <OutcomeBar outcomes={done.outcomes} cases={done.calls} />
      <Facts facts={facts} />
    </section>
  );
}

function Cause({ one }: { one: ShownCause }) {
  const { text } = one;
  return (
    <tr>
      <td class="num">{count(one.calls)}</td>
      <td>
        <OutcomeMark outcome={one.outcome} />
      </td>
      <td>
        <Names names={one.operators} otherwise={t('common.library')} />
      </td>
      <td class="group-cause">
        <p>
          {textOr(one.finding, one.cause)}
          {one.known && <span class="badge">{t('explore.known')}</span>}
        </p>
        <p class="small muted">
          <span class="mono">{one.example}</span>
          {one.reason !== one.cause && `: ${reasonText({ ...one, cause: one.likely_cause })}`}
        </p>
        <CopyCommand command={one.command} />
        {text === null ? (
          <p class="small muted">{t('explore.not_stored', { file: one.file })}</p>
        ) : (
          <>
            <button type="button" onClick={() => download(one.file, text, 'text/plain')}>
              {t('explore.save', { file: one.file })}
            </button>
            <details class="more">
              <summary>{t('explore.file')}</summary>
              <pre class="backtrace">{text}</pre>
            </details>
          </>
        )}
      </td>
    </tr>
  );
}

function Causes({ done }: { done: ExplorationPage }) {
  if (done.causes.length === 0)
    return <Empty>{t(done.failed > 0 ? 'explore.not_sought' : 'explore.no_cause')}</Empty>;
  const explained = done.causes.reduce((sum, one) => sum + one.calls, 0);
  const rest = Math.max(0, done.failed - explained);
  return (
    <Exported name="causes">
      <p>{t('explore.adds_up', { n: done.failed, explained, causes: done.causes.length, rest })}</p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('explore.causes')}>
        <table class="plain groups">
          <thead>
            <tr>
              <Head says={t('term.explore_failed')} num>
                {t('explore.calls')}
              </Head>
              <Head says={t('term.outcome')}>{t('column.outcome')}</Head>
              <Head says={t('term.group_operators')}>{t('column.operators')}</Head>
              <Head says={t('term.explore_cause')}>{t('explore.cause')}</Head>
            </tr>
          </thead>
          <tbody>
            {done.causes.map((one) => (
              <Cause key={one.key} one={one} />
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}

function Functions({ done }: { done: ExplorationPage }) {
  return (
    <Exported name="functions">
      <div class="table-scroll" tabIndex={0} role="region" aria-label={t('explore.functions')}>
        <table class="plain">
          <thead>
            <tr>
              <Head>{t('column.function')}</Head>
              <Head says={t('term.explore_calls')} num>
                {t('explore.calls')}
              </Head>
              <Head says={t('term.explore_failed')} num>
                {t('explore.failed')}
              </Head>
              <Head says={t('term.explore_classes')} num>
                {t('explore.classes')}
              </Head>
              <Head says={t('term.explore_pairs')} num>
                {t('explore.pairs')}
              </Head>
            </tr>
          </thead>
          <tbody>
            {done.functions.map((one) => (
              <tr key={one.function}>
                <td class="mono">{one.function}</td>
                <td class="num">{count(one.calls)}</td>
                <td class={one.failures > 0 ? 'num tone-bad' : 'num'}>{count(one.failures)}</td>
                <td class="num">{count(one.classes)}</td>
                <td class="num">{count(one.pairs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Exported>
  );
}

// An exploration in place of a run: what was called, and the causes that were found.
export function ExplorationView({ run, done }: { run: RunPage; done: ExplorationPage }) {
  return (
    <>
      <HeadCard run={run} done={done} />
      <h2 class="section">{t('explore.causes')}</h2>
      <Causes done={done} />
      <h2 class="section">{t('explore.functions')}</h2>
      <Functions done={done} />
    </>
  );
}
