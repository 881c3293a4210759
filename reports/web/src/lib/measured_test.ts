import { expect, test } from 'vitest';
import type { CasePage, Output } from '../api/types';
import { isExact, measuredCase, noise } from './measured';

test('zero noise units of what did not pass are no measurement', () => {
  expect(noise('fail', 0)).toBeNull();
  expect(noise('pass', 0)).toBe(0);
  expect(noise('fail', 3)).toBe(3);
  expect(noise('fail', 'inf')).toBe('inf');
  expect(noise('crash', null)).toBeNull();
});

test('an output judged bit for bit has no noise figures', () => {
  const zeros = { max_z: 0, rms_z: 0, rmse: 0, rmse_ideal: 0, bias: 0, max_ulp: 16 } as Output;
  expect(isExact(zeros)).toBe(true);
  expect(isExact({ ...zeros, rmse_ideal: 1e-9 })).toBe(false);
  expect(isExact({ ...zeros, max_z: 0.5 })).toBe(false);
});

test('a bias of exactly 0 beside an error was not measured', () => {
  const outputs = [
    { max_z: 2, rmse: 1e-8, rmse_ideal: 1e-9, bias: 0 },
    { max_z: 2, rmse: 1e-8, rmse_ideal: 1e-9, bias: 1e-10 },
  ] as Output[];
  const measured = measuredCase({ outputs } as CasePage).outputs;
  expect(measured.map((o) => o.bias)).toEqual([null, 1e-10]);
});
