import type { RunPage } from '../api/types';
import { Facts, Hash, type Fact } from '../components/provenance';
import { count, time } from '../lib/format';

const OPTION_NAMES: Record<string, string> = {
  repeat: 'Repeats',
  shuffle_seed: 'Order (seed)',
  timeout_s: 'Timeout',
  selection: 'Selection',
  suite: 'Suite',
  sandbox: 'Sandbox',
  owner: 'Owner',
};

function optionFacts(run: RunPage): Fact[] {
  const facts: Fact[] = [];
  for (const [key, name] of Object.entries(OPTION_NAMES)) {
    const value = run.options[key];
    if (value === null || value === undefined || value === '' || value === false) continue;
    facts.push({ name, value: key === 'timeout_s' ? `${value} s` : String(value) });
  }
  const shards = Number(run.options['shard_count'] ?? 0);
  if (shards > 1) facts.push({ name: 'Shard', value: `${String(run.options['shard_index'])} of ${shards}` });
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
  if (!rule || rule.judged === 0) return <span class="muted">not measured</span>;
  return (
    <>
      of {count(rule.judged)} judged by numbers, {count(rule.ours_alone)} fail here alone,{' '}
      {count(rule.theirs_alone)} there alone
    </>
  );
}

// Where a run's figures come from: library, references, options.
export function RunFacts({ run }: { run: RunPage }) {
  const facts: (Fact | false)[] = [
    run.abort_reason !== null && { name: 'Aborted', value: run.abort_reason },
    { name: 'Library', value: <code class="path">{run.impl_path || 'unknown'}</code> },
    { name: 'SHA-256', value: <Hash value={run.impl_sha256} /> },
    {
      name: run.references.length > 1 ? 'References' : 'Reference',
      value:
        run.references.length > 0 ? run.references.map((text) => <div key={text}>{text}</div>) : 'none yet',
    },
    ...listFact('Environment', run.environment),
    ...listFact('Adaptor', run.adaptor),
    { name: 'Public harness’s rule', value: <PublicRule run={run} /> },
    run.widened > 0 && {
      name: 'Widened',
      value: `contracts widened the tolerance of ${count(run.widened)} verdicts`,
    },
  ];
  const more: (Fact | false)[] = [
    { name: 'Suite hash', value: <Hash value={run.suite_hash} /> },
    { name: 'Variant', value: <code>{run.variant}</code> },
    { name: 'Dialect', value: run.dialect || 'unknown' },
    { name: 'Host', value: run.host || 'unknown' },
    { name: 'Agent', value: run.agent_version || 'unknown' },
    { name: 'Finished', value: run.finished ? time(run.finished) : 'not yet' },
    ...optionFacts(run),
    run.devices.length > 0 && {
      name: 'Devices',
      value: run.devices
        .map((d) => `${d.device_index === null ? 'unnamed' : d.device_index}: ${d.passed} of ${d.cases} pass`)
        .join('; '),
    },
    !!run.submission && { name: 'Submission', value: run.submission.note || 'no note' },
  ];
  return (
    <>
      <Facts facts={facts} />
      <details class="more">
        <summary>Full provenance{run.waivers.length > 0 ? `, ${run.waivers.length} waivers` : ''}</summary>
        <Facts facts={more} />
        {run.waivers.length > 0 && (
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Waived case</th>
                <th scope="col">Reason</th>
                <th scope="col">Issue</th>
                <th scope="col">Expires</th>
              </tr>
            </thead>
            <tbody>
              {run.waivers.map((waiver) => (
                <tr key={waiver.case_id}>
                  <td class="mono">{waiver.case_id}</td>
                  <td>{waiver.reason}</td>
                  <td>{waiver.link ?? 'not recorded'}</td>
                  <td>{waiver.expires ?? 'not recorded'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </details>
    </>
  );
}
