import { useRef } from 'preact/hooks';
import type { FailureGroup, Failures } from '../api/failure_types';
import { CopyCommand } from '../components/copy_command';
import { Link } from '../components/link';
import { Empty } from '../components/message';
import { OutcomeMark } from '../components/outcome_mark';
import { Explained, Head } from '../components/tips';
import { count, plural } from '../lib/format';
import { useKeys } from '../lib/keys';
import { to } from '../lib/router';
import { TERMS } from '../lib/terms';

const NAMED = 3;

// "add, sub, mul and 40 more", with all of them in the tooltip.
function Names({ names, otherwise }: { names: string[]; otherwise: string }) {
  const known = names.map((name) => name || otherwise);
  if (known.length <= NAMED + 1) return <>{known.join(', ')}</>;
  return (
    <>
      {known.slice(0, NAMED).join(', ')}{' '}
      <Explained says={known.join(', ')}>and {count(known.length - NAMED)} more</Explained>
    </>
  );
}

function Group({ run, group }: { run: string; group: FailureGroup }) {
  const { cause, example } = group;
  return (
    <tr>
      <td class="num">
        <Link
          class="group-open"
          href={to.run(run, { group: group.key })}
          aria-label={`${plural(group.cases, 'case')}: ${cause}`}
        >
          {count(group.cases)}
        </Link>
      </td>
      <td>
        <OutcomeMark outcome={group.outcome} />
      </td>
      <td>
        <Names names={group.operators} otherwise="library" />
      </td>
      <td class="group-dtypes">
        <Names names={group.dtypes} otherwise="none" />
      </td>
      <td class="group-cause">
        <p>{cause}</p>
        <p class="small muted">
          <Link class="mono" href={to.case(run, example.case_id)}>
            {example.case_id}
          </Link>
          {example.reason !== cause && `: ${example.reason}`}
        </p>
        <details class="more">
          <summary>Command to reproduce it</summary>
          <CopyCommand command={example.repro} />
        </details>
      </td>
    </tr>
  );
}

// The failures of a run by cause: one defect of a library makes hundreds of cases fail.
export function RunGroups({ run, failures, live }: { run: string; failures: Failures; live: boolean }) {
  const table = useRef<HTMLTableElement>(null);
  const move = (step: number) => {
    const links = [...(table.current?.querySelectorAll<HTMLElement>('.group-open') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const { groups, cases } = failures;
  if (groups.length === 0) return <Empty>{live ? 'No failure so far.' : 'No case fails.'}</Empty>;
  return (
    <>
      <p class="groups-head">
        {plural(cases, 'failure')} in {plural(groups.length, 'group')}{' '}
        <Link href={to.run(run, { outcome: 'failed,harness_error' })}>List all of them</Link>
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Failures by cause">
        <table class="plain groups" ref={table}>
          <thead>
            <tr>
              <Head says={TERMS.group_cases} num>
                Cases
              </Head>
              <Head says={TERMS.outcome}>Outcome</Head>
              <Head says={TERMS.group_operators}>Operators</Head>
              <Head says={TERMS.group_dtypes}>dtypes</Head>
              <Head says={TERMS.cause}>Cause and an example</Head>
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <Group key={group.key} run={run} group={group} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
