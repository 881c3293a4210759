import { useMemo } from 'preact/hooks';
import type { StepTotal } from '../api/messages';
import { Exported } from '../components/exported';
import { Head } from '../components/tips';
import { micros, share } from '../lib/format';
import { t } from '../lib/i18n';
import { isComplete, namedOperators, stepName, stepParts, type StepPart } from '../lib/performance';

const NAMED = 8; // as many as performance.css has grounds

const nameOf = (part: StepPart) => (part.at < 0 ? t('perf.others') : part.operator);
const look = (part: StepPart) => (part.at < 0 ? 'part-others' : `part-${part.at}`);
const words = (part: StepPart) =>
  t('perf.part', { operator: nameOf(part), share: share(part.share), time: micros(part.us) });

// The parts of a step's time as a bar, and below it the same in figures.
function Parts({ parts }: { parts: StepPart[] }) {
  const label = t('perf.bar', { parts: parts.map(words).join('; ') });
  return (
    <>
      <div class="step-bar" role="img" aria-label={label}>
        {parts.map((part) => (
          <span
            key={part.at}
            class={look(part)}
            style={{ width: `${100 * part.share}%` }}
            title={words(part)}
          >
            <span class="step-name">{nameOf(part)}</span>
          </span>
        ))}
      </div>
      <ul class="step-list">
        {parts.map((part) => (
          <li key={part.at}>
            <i class={look(part)} aria-hidden="true" /> {words(part)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ step, named }: { step: StepTotal; named: string[] }) {
  const known = isComplete(step);
  const all = step.measured === step.calls;
  return (
    <tr>
      <th scope="row" class="mono">
        {step.model}
      </th>
      <td>{step.stage || t('perf.no_stage')}</td>
      <td class="num">
        {known ? <strong>{micros(step.us)}</strong> : t('common.not_measured')}
        {known && (
          <div class="small muted">
            {t('compare.range', { low: micros(step.low_us), high: micros(step.high_us) })}
          </div>
        )}
      </td>
      <td class={all ? 'muted' : 'tone-note'}>
        {!all && <span aria-hidden="true">△ </span>}
        {t('perf.measured_of', { n: step.measured, all: step.calls })}
      </td>
      <td class="step-parts">{known && <Parts parts={stepParts(step, named)} />}</td>
    </tr>
  );
}

// The estimated time of each model's step, and which operators take it.
export function PerformanceSteps({ steps }: { steps: StepTotal[] }) {
  const named = useMemo(() => namedOperators(steps, NAMED), [steps]);
  return (
    <>
      <h2 id="steps-title">{t('perf.steps')}</h2>
      <Exported name="steps">
        <div class="table-scroll">
          <table class="plain steps" aria-labelledby="steps-title">
            <thead>
              <tr>
                <Head says={t('term.model')}>{t('perf.model')}</Head>
                <Head>{t('perf.stage')}</Head>
                <Head says={`${t('term.perf_step')} ${t('term.perf_step_interval')}`} num>
                  {t('perf.step_time')}
                </Head>
                <Head>{t('perf.calls')}</Head>
                <Head>{t('perf.by_operator')}</Head>
              </tr>
            </thead>
            <tbody>
              {steps.map((step) => (
                <Row key={stepName(step)} step={step} named={named} />
              ))}
            </tbody>
          </table>
        </div>
      </Exported>
    </>
  );
}
