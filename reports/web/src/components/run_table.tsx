import type { RunSummary } from '../api/types';
import { ago, count, percent, shortHash, time } from '../lib/format';
import { to } from '../lib/router';
import { Badges } from './badges';
import { Link } from './link';
import { OutcomeBar } from './outcome_bar';
import { StateMark } from './state_mark';

function Row({ run, before, chip }: { run: RunSummary; before: RunSummary | undefined; chip: boolean }) {
  return (
    <tr>
      <td>
        <Link href={to.run(run.run_id)} class="mono">
          {run.run_id}
        </Link>
      </td>
      {chip && (
        <td>
          <Link href={to.chip(run.chip)}>{run.chip}</Link>
        </td>
      )}
      <td>
        <StateMark state={run.state} />
      </td>
      <td class="nowrap" title={ago(run.created)}>
        {time(run.created)}
      </td>
      <td class="num">{percent(run.coverage.implemented, run.coverage.abi_functions)}</td>
      <td class="num">{percent(run.correctness.passed, run.correctness.called)}</td>
      <td class={run.failed > 0 ? 'num tone-bad' : 'num'}>{count(run.failed)}</td>
      <td class="bar-column">
        <OutcomeBar outcomes={run.outcomes} cases={run.cases} />
      </td>
      <td class="wide nowrap">
        {run.impl_version || 'no version'} <code class="hash">{shortHash(run.impl_sha256)}</code>
      </td>
      <td class="wide">
        <Badges badges={run.badges} contracts={run.contracts} />
      </td>
      <td>
        {before && (
          <Link href={to.compare(before.run_id, run.run_id)} title={`Compare with ${before.run_id}`}>
            compare
          </Link>
        )}
      </td>
    </tr>
  );
}

// Runs, newest first. `chip`: shows whose each is. A run is compared with the next older one of its chip.
export function RunTable({ runs, chip = false }: { runs: RunSummary[]; chip?: boolean }) {
  const older = (run: RunSummary, at: number) => runs.slice(at + 1).find((other) => other.chip === run.chip);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Runs">
      <table class="plain runs">
        <thead>
          <tr>
            <th scope="col">Run</th>
            {chip && <th scope="col">Chip</th>}
            <th scope="col">State</th>
            <th scope="col">Started</th>
            <th scope="col" class="num">
              Coverage
            </th>
            <th scope="col" class="num">
              Correctness
            </th>
            <th scope="col" class="num">
              Fail
            </th>
            <th scope="col" class="bar-column">
              Outcomes
            </th>
            <th scope="col" class="wide">
              Library
            </th>
            <th scope="col" class="wide">
              Badges
            </th>
            <th scope="col">
              <span class="visually-hidden">Compare</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, at) => (
            <Row key={run.run_id} run={run} before={older(run, at)} chip={chip} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
