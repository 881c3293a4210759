// A device's outputs beside the oracle, and a profile whose waiver is in force: both real, and
// shown on the page.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, visit } from './browser';
import { CPU, mustRun, program, Server, TempFolder, vendor } from './programs';

const FNAME = ['--fname', 'exp,sub'];
const WAIVED = 'sub.float32.float16_float32'; // its last elements are wrong in the faulty library
const PROFILE = `
chip: "demo-waived"
waiver {
  match { case: "${WAIVED}" }
  tolerance { atol: 1e30 rtol: 1 mismatch_ratio: 0.1 }
  reason: "the tail of sub is known"
  issue: "https://example.com/7"
  expires: "2999-12-31"
}
`;
const folder = new TempFolder();
let browser: Browser;
let server: Server;
let waived = '';

beforeAll(async () => {
  const data = join(folder.path, 'data');
  const gen = [program('diopi-cli'), 'gen', '--quiet', '--data', data, ...FNAME];
  await mustRun(gen);
  await mustRun([...gen, '--device-reference', CPU]);
  const profile = join(folder.path, 'demo-waived.textproto');
  writeFileSync(profile, PROFILE);
  [browser, server] = await Promise.all([launch(), Server.start(data)]);
  waived = await server.testLibrary(vendor('libdiopi_faulty'), 'demo-waived', folder.path, [
    ...FNAME,
    '--profile',
    profile,
  ]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

async function open(path: string): Promise<Page> {
  const { page } = await visit(browser, { origin: server.origin });
  await page.goto(path);
  return page;
}

test('the device reference is named, its figures and the grade stand beside the chip’s', async () => {
  const page = await open(`/runs/${waived}/cases/exp.float32.rank_5`);
  const output = page.getByRole('article', { name: 'Output out' });
  const table = output.locator('table.figures-table');
  await table.waitFor();
  const heads = await table.getByRole('columnheader').allTextContents();
  const [, , reference = ''] = heads.map((head) => head.trim());
  expect(reference).not.toBe('NVIDIA'); // it was another library
  await page.getByText(`device reference: ${reference}`).waitFor();
  const row = (name: string) => table.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  // The library under test computes exp as the reference does: the same error twice, and the ratio 1.
  const [chip, device] = await row('rmse').getByRole('cell').allTextContents();
  expect(Number(chip)).toBeGreaterThan(0);
  expect(device).toBe(chip);
  expect(await row('grade').getByRole('cell').first().textContent()).toBe('A (×1)');
});

test('the list of cases has a column for grades', async () => {
  const page = await open(`/runs/${waived}?operator=exp&dtype=float32`);
  await page.getByRole('columnheader', { name: 'grade' }).waitFor();
  await page.getByRole('gridcell', { name: 'A', exact: true }).first().waitFor();
});

test('a waiver is in sight on overview, chip and run, with reason, link and end', async () => {
  for (const path of ['/', '/chips/demo-waived', `/runs/${waived}`]) {
    const page = await open(path);
    await page.getByText('1 waiver in force').first().waitFor();
  }
  const page = await open(`/runs/${waived}`);
  await page.getByText(/^Full provenance, 1 waivers?$/).click();
  const row = page.getByRole('row').filter({ hasText: 'the tail of sub is known' });
  await row.getByRole('cell', { name: 'https://example.com/7', exact: true }).waitFor();
  await row.getByRole('cell', { name: '2999-12-31', exact: true }).waitFor();

  await page.goto(`/runs/${waived}/cases/${WAIVED}`);
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByText('waived', { exact: true }).waitFor();
  await verdict.getByText('the tail of sub is known').waitFor();
});
