import type { RunPage, Waiver } from '../api/messages';
import { Exported } from '../components/exported';
import { Labels } from '../components/labels';
import { machineFacts } from '../components/machine_facts';
import { Facts, Hash, type Fact } from '../components/provenance';
import { findingText, reasonText, textOr } from '../lib/findings';
import { fileName, time } from '../lib/format';
import { t } from '../lib/i18n';

function optionFacts({ options }: RunPage): Fact[] {
  const values = [
    ['repeat', options.repeat],
    ['shuffle_seed', options.shuffle_seed],
    ['timeout_s', `${options.timeout_s} s`],
    ['selection', textOr(options.selection_found, options.selection)],
    ['suite', options.suite],
    ['sandbox', textOr(options.sandbox_found, options.sandbox)],
    ['owner', options.owner],
  ] as const;
  const facts: Fact[] = values
    .filter(([, value]) => value !== '')
    .map(([key, value]) => ({ name: t(`facts.${key}`), value: String(value) }));
  const shards = options.shard_count;
  if (shards > 1) {
    const value = t('common.of', { n: String(options.shard_index), all: shards });
    facts.push({ name: t('facts.shard'), value });
  }
  return facts;
}

// One line per entry; nothing for an empty list.
function listFact(name: string, entries: string[]): Fact[] {
  if (entries.length === 0) return [];
  return [
    {
      name,
      value: entries.map((entry) => (
        <div key={entry}>
          <code class="path">{entry}</code>
        </div>
      )),
    },
  ];
}

function PublicRule({ run }: { run: RunPage }) {
  const rule = run.public_rule;
  if (!rule || rule.judged === 0) return <span class="muted">{t('common.not_measured')}</span>;
  const { judged, ours_alone: ours, theirs_alone: theirs } = rule;
  return <>{t('facts.public_counts', { judged, ours, theirs })}</>;
}

function Waivers({ waivers }: { waivers: Waiver[] }) {
  return (
    <Exported name="waivers">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{t('facts.waived_case')}</th>
            <th scope="col">{t('column.reason')}</th>
            <th scope="col">{t('facts.issue')}</th>
            <th scope="col">{t('facts.expires')}</th>
          </tr>
        </thead>
        <tbody>
          {waivers.map((waiver) => (
            <tr key={waiver.case_id}>
              <td class="mono">{waiver.case_id}</td>
              <td>{reasonText(waiver)}</td>
              <td>{waiver.link ?? t('facts.not_recorded')}</td>
              <td>{waiver.expires ?? t('facts.not_recorded')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Exported>
  );
}

// Where a run's figures come from: library, references, options.
export function RunFacts({ run }: { run: RunPage }) {
  const facts: (Fact | false)[] = [
    run.abort_reason !== null && {
      name: t('facts.aborted'),
      value: textOr(run.abort_reason_found, run.abort_reason),
    },
    Object.keys(run.labels).length > 0 && {
      name: t('facts.labels'),
      value: <Labels labels={run.labels} />,
    },
    {
      name: t('column.library'),
      value: <code class="path">{fileName(run.impl_path) || t('common.unknown')}</code>,
    },
    { name: 'SHA-256', value: <Hash value={run.impl_sha256} /> },
    {
      name: t(run.references.length > 1 ? 'facts.references' : 'facts.reference'),
      value:
        run.references.length > 0
          ? run.references.map((text) => <div key={text}>{text}</div>)
          : t('facts.none_yet'),
    },
    ...listFact(t('facts.environment'), run.environment),
    ...listFact(
      t('facts.adaptor'),
      run.adaptor_found.length > 0 ? run.adaptor_found.map(findingText) : run.adaptor,
    ),
    { name: t('facts.public'), value: <PublicRule run={run} /> },
    run.options.workers_word !== '' && {
      name: t('facts.workers_word'),
      value: textOr(run.options.workers_word_found, run.options.workers_word),
    },
    run.widened > 0 && {
      name: t('facts.widened'),
      value: t('facts.widened_by', { n: run.widened }),
    },
  ];
  const more: (Fact | false)[] = [
    { name: t('facts.suite_hash'), value: <Hash value={run.suite_hash} /> },
    { name: t('facts.variant'), value: <code>{run.variant}</code> },
    { name: t('facts.dialect'), value: run.dialect || t('common.unknown') },
    { name: t('facts.host'), value: run.host || t('common.unknown') },
    ...machineFacts(run.machine),
    { name: t('facts.agent'), value: run.agent_version || t('common.unknown') },
    { name: t('facts.finished'), value: run.finished ? time(run.finished) : t('facts.not_yet') },
    ...optionFacts(run),
    run.devices.length > 0 && {
      name: t('facts.devices'),
      value: run.devices
        .map(({ device_index, passed, cases }) =>
          t('facts.device', { device: device_index ?? t('facts.unnamed'), passed, cases }),
        )
        .join('; '),
    },
    !!run.submission && {
      name: t('facts.submission'),
      value: textOr(run.abort_reason_found, run.submission.note) || t('facts.no_note'),
    },
  ];
  return (
    <>
      <Facts facts={facts} />
      <details class="more">
        <summary>
          {run.waivers.length > 0 ? t('facts.more_waivers', { n: run.waivers.length }) : t('facts.more')}
        </summary>
        <Facts facts={more} />
        {run.waivers.length > 0 && <Waivers waivers={run.waivers} />}
      </details>
    </>
  );
}
