import type { Performance } from '../api/messages';
import { Facts, type Fact } from '../components/provenance';
import { findingText, textOr } from '../lib/findings';
import { figure, micros } from '../lib/format';
import { t } from '../lib/i18n';
import { isMeasured } from '../lib/performance';

function rates({ roofline }: Performance): string[] {
  const lines = Object.entries(roofline.operations_per_s).map(([dtype, rate]) =>
    t('perf.rate_operations', { dtype, rate: figure(rate / 1e9) }),
  );
  if (roofline.bytes_per_s > 0)
    lines.unshift(t('perf.rate_bytes', { rate: figure(roofline.bytes_per_s / 1e9) }));
  return lines;
}

function clocks({ calls }: Performance): string[] {
  const timed = calls.filter(isMeasured);
  const device = timed.filter((call) => call.clock === 'device').length;
  const host = timed.length - device;
  return [
    ...(device > 0 ? [t('perf.by_device', { n: device })] : []),
    ...(host > 0 ? [t('perf.by_host', { n: host })] : []),
  ];
}

function lines(name: string, texts: string[]): Fact | null {
  if (texts.length === 0) return null;
  return { name, value: texts.map((text) => <div key={text}>{text}</div>) };
}

// How the run was measured, and how far its times are to be trusted.
export function PerformanceFacts({ data }: { data: Performance }) {
  const { machine, roofline, noise, samples, disturbed, calls, reference } = data;
  const found = machine.state_found;
  const without = calls.filter((call) => !isMeasured(call)).length;
  return (
    <div class="performance-facts">
      <Facts
        facts={[
          { name: t('perf.machine'), value: machine.processor || t('common.unknown') },
          lines(t('perf.state'), found.length > 0 ? found.map(findingText) : machine.state),
          {
            name: t('perf.roofline'),
            value: textOr(roofline.source_found, roofline.source) || t('common.unknown'),
          },
          lines(t('perf.rates'), rates(data)),
          lines(t('perf.clock'), clocks(data)),
          {
            name: t('perf.launch'),
            value:
              Number(machine.launch_us) > 0
                ? t('perf.launch_is', { time: micros(machine.launch_us) })
                : t('common.not_measured'),
          },
          {
            name: t('perf.noise'),
            // 1: calls have one round, which says nothing.
            value: noise > 1 ? t('perf.noise_is', { factor: noise.toFixed(2) }) : t('common.not_measured'),
          },
          { name: t('perf.samples'), value: t('perf.samples_are', { disturbed, samples }) },
          {
            name: t('perf.without'),
            value: without > 0 ? t('perf.without_is', { n: without, all: calls.length }) : t('common.none'),
          },
          reference !== '' && { name: t('perf.score'), value: t('perf.score_is', { device: reference }) },
        ]}
      />
    </div>
  );
}
