import { expect, test } from 'vitest';
import { deviceReference } from './device_reference';

test.each([
  ['cpu: diopi-cpu 1.0 (library 12; 2026-01-02); device reference: Acme 2.1 (library 00ff; c)', 'Acme 2.1'],
  [
    'cpu: x (1); device reference: NVIDIA H200, driver 580 (library 0; contracts tf32; c)',
    'NVIDIA H200, driver 580',
  ],
  ['cpu: diopi-cpu 1.0 (library 12; 2026-01-02)', null],
  ['', null],
])('%s', (provenance, name) => expect(deviceReference(provenance)).toBe(name));
