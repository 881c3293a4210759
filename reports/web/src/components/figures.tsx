import type { Correctness, Coverage } from '../api/types';
import { count, NOT_MEASURED, percent } from '../lib/format';

const width = (part: number, whole: number) => ({ width: whole > 0 ? `${(100 * part) / whole}%` : '0' });

function Value({ part, whole }: { part: number; whole: number }) {
  return (
    <span class={whole > 0 ? 'figure-value' : 'figure-value figure-unknown'}>{percent(part, whole)}</span>
  );
}

export function CoverageFigure({ coverage }: { coverage: Coverage }) {
  const { abi_functions: all, implemented, tested, passing, selected } = coverage;
  return (
    <div class="figure">
      <span class="figure-name">Coverage</span>
      <Value part={implemented} whole={all} />
      <span class="figure-part">
        {count(implemented)} of {count(all)} functions
      </span>
      <span
        class="meter"
        role="img"
        aria-label={`of ${all} functions ${implemented} implemented, ${passing} passing`}
      >
        <i class="meter-implemented" style={width(implemented, all)} />
        <i class="meter-passing" style={width(passing, all)} />
      </span>
      <span class="figure-note">
        {selected > 0
          ? `${count(tested)} tested of ${count(selected)} selected, ${count(passing)} passing`
          : NOT_MEASURED}
      </span>
    </div>
  );
}

export function CorrectnessFigure({ correctness }: { correctness: Correctness }) {
  const { called, passed } = correctness;
  const wrong = called - passed;
  return (
    <div class="figure">
      <span class="figure-name">Correctness</span>
      <Value part={passed} whole={called} />
      <span class="figure-part">
        {called > 0 ? `${count(passed)} of ${count(called)} called cases pass` : 'no case was called'}
      </span>
      <span class="meter meter-judged" role="img" aria-label={`${passed} of ${called} called cases pass`}>
        <i class="meter-good" style={width(passed, called)} />
        <i class="meter-bad" style={width(wrong, called)} />
      </span>
      <span class="figure-note">
        {called === 0 ? '\u00a0' : wrong === 0 ? 'none fails' : `${count(wrong)} do not pass`}
      </span>
    </div>
  );
}

// The two figures of a run; one is never shown without the other.
export function Figures({ run }: { run: { coverage: Coverage; correctness: Correctness } }) {
  return (
    <div class="figures">
      <CoverageFigure coverage={run.coverage} />
      <CorrectnessFigure correctness={run.correctness} />
    </div>
  );
}
