import type { Correctness, Coverage, RunSummary } from '../api/messages';
import { percent } from '../lib/format';
import { t } from '../lib/i18n';
import { Explained } from './tips';

const width = (part: number, whole: number) => ({ width: whole > 0 ? `${(100 * part) / whole}%` : '0' });

function Value({ text, known }: { text: string; known: boolean }) {
  return (
    <span class={known ? 'figure-value' : 'figure-value figure-unknown'}>
      {known ? text : t('common.not_measured')}
    </span>
  );
}

// "200 exported, 9 tested of 138 with cases, 3 passing".
export function functionsText({ implemented, tested, with_cases, passing }: Coverage): string {
  return t('figures.counts', { exported: implemented, tested, with_cases, passing });
}

// The headline: how many functions of the whole ABI pass.
export function CoverageFigure({ coverage }: { coverage: Coverage }) {
  const { abi_functions: all, implemented, tested, passing, selected } = coverage;
  return (
    <div class="figure">
      <span class="figure-name">
        <Explained says={t('term.passing')}>{t('figures.functions')}</Explained>
      </span>
      <Value text={t('common.of', { n: passing, all })} known={selected > 0} />
      <span class="figure-part">{t('figures.share', { share: percent(passing, all) })}</span>
      <span
        class="meter"
        role="img"
        aria-label={t('figures.meter', { all, exported: implemented, tested, passing })}
      >
        <i class="meter-implemented" style={width(implemented, all)} />
        <i class="meter-passing" style={width(passing, all)} />
      </span>
      <span class="figure-note">{functionsText(coverage)}</span>
    </div>
  );
}

// How many of the cases the library computed: the others it refused, or they were not run.
export function CalledFigure({ run }: { run: Pick<RunSummary, 'correctness' | 'outcomes'> }) {
  const { called, asked } = run.correctness;
  const refused = (run.outcomes.not_implemented ?? 0) + (run.outcomes.unsupported_dtype ?? 0);
  return (
    <div class="figure">
      <span class="figure-name">
        <Explained says={t('term.called')}>{t('figures.called')}</Explained>
      </span>
      <Value text={percent(called, asked)} known={asked > 0} />
      <span class="figure-part">{t('figures.of_cases', { called, asked })}</span>
      <span class="meter" role="img" aria-label={t('figures.of_cases', { called, asked })}>
        <i class="meter-implemented" style={width(called, asked)} />
      </span>
      <span class="figure-note">{t('figures.refused', { refused, others: asked - called - refused })}</span>
    </div>
  );
}

export function CorrectnessFigure({ correctness }: { correctness: Correctness }) {
  const { called, passed } = correctness;
  const wrong = called - passed;
  return (
    <div class="figure">
      <span class="figure-name">
        <Explained says={t('term.correctness')}>{t('figures.correctness')}</Explained>
      </span>
      <Value text={percent(passed, called)} known={called > 0} />
      <span class="figure-part">
        {called > 0 ? t('common.cases_pass', { passed, cases: called }) : t('figures.no_case')}
      </span>
      <span class="meter meter-judged" role="img" aria-label={t('figures.judged_pass', { passed, called })}>
        <i class="meter-good" style={width(passed, called)} />
        <i class="meter-bad" style={width(wrong, called)} />
      </span>
    </div>
  );
}

// The figures of a run; none is shown without the others.
export function Figures({ run }: { run: Pick<RunSummary, 'coverage' | 'correctness' | 'outcomes'> }) {
  return (
    <div class="figures">
      <CoverageFigure coverage={run.coverage} />
      <CalledFigure run={run} />
      <CorrectnessFigure correctness={run.correctness} />
    </div>
  );
}
