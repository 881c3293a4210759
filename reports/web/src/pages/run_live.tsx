import { useEffect } from 'preact/hooks';
import type { Progress } from '../api/messages';
import { useApi } from '../api/use_api';
import { Link } from '../components/link';
import { OutcomeBar } from '../components/outcome_bar';
import { OutcomeMark } from '../components/outcome_mark';
import { reasonText } from '../lib/findings';
import { figure, percent, seconds } from '../lib/format';
import { t } from '../lib/i18n';
import { to } from '../lib/router';
import { isLive } from '../lib/state';

// A run in progress: how far it is, the remaining time, its newest verdicts.
export function RunLive({ run, onEnd }: { run: string; onEnd: () => void }) {
  const { data, error } = useApi<Progress>(`/runs/${encodeURIComponent(run)}/progress`, 1000);
  const ended = data !== null && !isLive(data.state);
  useEffect(() => {
    if (ended) onEnd();
  }, [ended, onEnd]);
  if (!data) return null;
  const { done, cases } = data;
  return (
    <section class="card live" aria-label={t('run.progress')}>
      <p class="head-line">
        <strong>{t('common.of', { n: done, all: cases })}</strong>
        <span class="muted">{percent(done, cases)}</span>
        <span>
          {data.cases_per_s === null ? t('run.pace_unknown') : t('run.pace', { n: figure(data.cases_per_s) })}
        </span>
        <span>{t('run.left', { time: seconds(data.left_s) })}</span>
        {data.state === 'stalled' && <span class="tone-note">⏸ {t('run.stalled')}</span>}
        {error && <span class="tone-bad">! {t('run.last_known', { message: error.message })}</span>}
      </p>
      <div
        role="progressbar"
        aria-label={t('run.done')}
        aria-valuemin={0}
        aria-valuemax={cases}
        aria-valuenow={done}
        aria-valuetext={t('run.done_of', { done, cases })}
      >
        <OutcomeBar outcomes={data.outcomes} cases={cases} />
      </div>
      <ol class="recent" aria-label={t('run.newest_verdicts')}>
        {data.recent.slice(0, 8).map((verdict) => (
          <li key={verdict.case_id}>
            <OutcomeMark outcome={verdict.outcome} short />
            <Link class="mono" href={to.case(run, verdict.case_id)}>
              {verdict.case_id}
            </Link>
            <span class="muted reason">{reasonText(verdict).split('\n')[0]}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
