import type { Correctness, Coverage, RunSummary } from '../api/types';
import { count, NOT_MEASURED, percent } from '../lib/format';
import { TERMS } from '../lib/terms';
import { Explained } from './tips';

const width = (part: number, whole: number) => ({ width: whole > 0 ? `${(100 * part) / whole}%` : '0' });

function Value({ text, known }: { text: string; known: boolean }) {
  return (
    <span class={known ? 'figure-value' : 'figure-value figure-unknown'}>{known ? text : NOT_MEASURED}</span>
  );
}

// "200 exported, 9 tested of 138 with cases, 3 passing".
export function functionsText({ implemented, tested, with_cases, passing }: Coverage): string {
  return `${count(implemented)} exported, ${count(tested)} tested of ${count(with_cases)} with cases, ${count(passing)} passing`;
}

// The headline: how many functions of the whole ABI pass.
export function CoverageFigure({ coverage }: { coverage: Coverage }) {
  const { abi_functions: all, implemented, tested, passing, selected } = coverage;
  return (
    <div class="figure">
      <span class="figure-name">
        <Explained says={TERMS.passing}>Functions that pass</Explained>
      </span>
      <Value text={`${count(passing)} of ${count(all)}`} known={selected > 0} />
      <span class="figure-part">{percent(passing, all)} of the ABI’s functions</span>
      <span
        class="meter"
        role="img"
        aria-label={`of ${all} functions ${implemented} exported, ${tested} tested, ${passing} passing`}
      >
        <i class="meter-implemented" style={width(implemented, all)} />
        <i class="meter-passing" style={width(passing, all)} />
      </span>
      <span class="figure-note">{functionsText(coverage)}</span>
    </div>
  );
}

export function CorrectnessFigure({ correctness, cases }: { correctness: Correctness; cases: number }) {
  const { called, passed } = correctness;
  const wrong = called - passed;
  return (
    <div class="figure">
      <span class="figure-name">
        <Explained says={TERMS.correctness}>Correctness</Explained>
      </span>
      <Value text={percent(passed, called)} known={called > 0} />
      <span class="figure-part">
        {called > 0 ? `${count(passed)} of ${count(called)} cases pass` : 'no case was called'}
      </span>
      <span class="meter meter-judged" role="img" aria-label={`${passed} of ${called} judged cases pass`}>
        <i class="meter-good" style={width(passed, called)} />
        <i class="meter-bad" style={width(wrong, called)} />
      </span>
      <span class="figure-note">
        {count(called)} of {count(cases)} cases judged
      </span>
    </div>
  );
}

// The two figures of a run; one is never shown without the other.
export function Figures({ run }: { run: Pick<RunSummary, 'coverage' | 'correctness' | 'cases'> }) {
  return (
    <div class="figures">
      <CoverageFigure coverage={run.coverage} />
      <CorrectnessFigure correctness={run.correctness} cases={run.cases} />
    </div>
  );
}
