import type { Machine, MachineGpu } from '../api/messages';
import { figure } from '../lib/format';
import { t } from '../lib/i18n';
import type { Fact } from './provenance';

const GIB = 2 ** 30;
const gib = (bytes: number) => `${(bytes / GIB).toFixed(1)} GiB`;

function gpuText(gpu: MachineGpu): string {
  const parts = [
    gpu.name,
    gpu.driver && t('machine.driver', { version: gpu.driver }),
    gpu.memory_mib > 0 && gib(gpu.memory_mib * 2 ** 20),
    Number(gpu.power_limit_w) > 0 && t('machine.power_limit', { watts: figure(gpu.power_limit_w) }),
    Number(gpu.clock_mhz) > 0 && t('machine.clock', { mhz: figure(gpu.clock_mhz) }),
    Number(gpu.memory_clock_mhz) > 0 && t('machine.memory_clock', { mhz: figure(gpu.memory_clock_mhz) }),
  ];
  return parts.filter(Boolean).join(t('common.list_separator'));
}

// Equal GPUs once: "8 x NVIDIA H100".
function gpuTexts(gpus: MachineGpu[]): string[] {
  const counts = new Map<string, number>();
  for (const gpu of gpus) counts.set(gpuText(gpu), (counts.get(gpuText(gpu)) ?? 0) + 1);
  return [...counts].map(([text, count]) => (count === 1 ? text : `${count} x ${text}`));
}

// The machine that a library was tested on; what its agent did not say is left out.
export function machineFacts(machine: Machine | null): Fact[] {
  if (machine === null) return [];
  const threads = machine.processors > 0 && t('machine.threads', { n: machine.processors });
  const facts = [
    { name: t('machine.system'), value: machine.system },
    { name: t('machine.kernel'), value: machine.kernel },
    {
      name: t('machine.processor'),
      value: [machine.processor, threads].filter(Boolean).join(t('common.list_separator')),
    },
    { name: t('machine.memory'), value: machine.memory_bytes > 0 ? gib(machine.memory_bytes) : '' },
  ].filter(({ value }) => value !== '');
  const gpus = gpuTexts(machine.gpus);
  if (gpus.length === 0) return facts;
  return [...facts, { name: 'GPU', value: gpus.map((text) => <div key={text}>{text}</div>) }];
}
