import type { RunSummary } from '../api/types';
import { ago, count, percent, shortHash, time } from '../lib/format';
import { to } from '../lib/router';
import { TERMS } from '../lib/terms';
import { Badges } from './badges';
import { ChipLink } from './chip_link';
import { functionsText } from './figures';
import { Link } from './link';
import { OutcomeBar } from './outcome_bar';
import { PartialMark } from './partial_mark';
import { StateMark } from './state_mark';
import { Head } from './tips';

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
          <ChipLink chip={run.chip} />
        </td>
      )}
      <td>
        <StateMark state={run.state} /> <PartialMark run={run} />
      </td>
      <td class="nowrap" title={ago(run.created)}>
        {time(run.created)}
      </td>
      <td class="num" title={functionsText(run.coverage)}>
        {count(run.coverage.passing)}
        <span class="muted">/{count(run.coverage.abi_functions)}</span>
      </td>
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

// Runs, newest first. `chip`: also shows each run's chip. A run is compared with the next older run
// of its chip.
export function RunTable({ runs, chip = false }: { runs: RunSummary[]; chip?: boolean }) {
  const older = (run: RunSummary, at: number) => runs.slice(at + 1).find((other) => other.chip === run.chip);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Runs">
      <table class="plain runs">
        <thead>
          <tr>
            <Head>Run</Head>
            {chip && <Head>Chip</Head>}
            <Head says={TERMS.state}>State</Head>
            <Head>Started</Head>
            <Head says={TERMS.passing} num>
              Passing
            </Head>
            <Head says={TERMS.correctness} num>
              Correctness
            </Head>
            <Head says={TERMS.failed} num>
              Fail
            </Head>
            <Head says={TERMS.outcomes} class="bar-column">
              Outcomes
            </Head>
            <Head says={TERMS.library} class="wide">
              Library
            </Head>
            <Head says={TERMS.badges} class="wide">
              Badges
            </Head>
            <Head>
              <span class="visually-hidden">Compare</span>
            </Head>
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
