import type { Performance, RunPage } from '../api/messages';
import { useApi } from '../api/use_api';
import { Loading } from '../components/message';
import { t } from '../lib/i18n';
import { isLive } from '../lib/state';
import { PerformanceCalls } from './performance_calls';
import { PerformanceComparison } from './performance_comparison';
import { PerformanceFacts } from './performance_facts';
import { PerformanceSteps } from './performance_steps';
import { RooflineChart } from './roofline_chart';

function Body({ data }: { data: Performance }) {
  return (
    <>
      <div class="performance-top">
        <section aria-labelledby="roofline-title">
          <h2 id="roofline-title">{t('perf.roofline')}</h2>
          <RooflineChart data={data} />
        </section>
        <section aria-labelledby="how-title">
          <h2 id="how-title">{t('perf.how')}</h2>
          <PerformanceFacts data={data} />
        </section>
      </div>
      {data.steps.length > 0 && <PerformanceSteps steps={data.steps} />}
      <PerformanceComparison run={data.run_id} chip={data.chip} />
      <h2 id="calls-title">{t('perf.calls')}</h2>
      <PerformanceCalls run={data.run_id} calls={data.calls} />
    </>
  );
}

// How fast the run's calls are: the third tab of a run that measured something.
export function PerformanceView({ run }: { run: RunPage }) {
  const path = `/runs/${encodeURIComponent(run.run_id)}/performance`;
  const loaded = useApi<Performance>(path, isLive(run.state) ? 10_000 : null);
  return <Loading loaded={loaded}>{(data) => <Body data={data} />}</Loading>;
}
