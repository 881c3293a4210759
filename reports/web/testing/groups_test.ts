// A run opens on its failures by cause, which are those of the API.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Failures } from '../src/api/messages';
import { launch, overflow, visit, type VisitOptions } from './browser';
import { mustRun, program, Server, TempFolder, vendor } from './programs';

const FNAME = ['--fname', 'relu,softmax,sub,tanh'];
const folder = new TempFolder();
let browser: Browser;
let server: Server;
let run = '';
let failures: Failures;

beforeAll(async () => {
  const data = join(folder.path, 'data');
  await mustRun([program('diopi-cli'), 'gen', '--quiet', '--data', data, ...FNAME]);
  [browser, server] = await Promise.all([launch(), Server.start(data)]);
  const words = [...FNAME, '--timeout-s', '5'];
  run = await server.testLibrary(vendor('libdiopi_faulty'), 'faulty', folder.path, words);
  failures = (await (await fetch(`${server.origin}/api/v1/runs/${run}/failures`)).json()) as Failures;
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

async function open(options: Partial<VisitOptions> = {}): Promise<Page> {
  const { page } = await visit(browser, { origin: server.origin, ...options });
  await page.goto(`/runs/${run}`);
  await page.getByRole('region', { name: 'Failures by cause' }).waitFor();
  return page;
}

const rows = (page: Page) => page.getByRole('region', { name: 'Failures by cause' }).locator('tbody tr');
const cases = (page: Page) => page.getByRole('grid', { name: 'Cases of the run' });
const listed = (page: Page) =>
  expect.poll(async () => Number(await cases(page).getAttribute('aria-rowcount')) - 1);

test('every group is there, with its whole cause, its size, and a command', async () => {
  const page = await open();
  const { groups } = failures;
  expect(groups.length).toBeGreaterThan(2);
  expect(groups.length).toBeLessThan(failures.cases / 3);
  expect(await rows(page).count()).toBe(groups.length);
  for (const [i, group] of groups.entries()) {
    const row = rows(page).nth(i);
    expect(await row.locator('.group-open').textContent()).toBe(String(group.cases));
    const cause = row.locator('.group-cause p').first();
    expect(await cause.textContent()).toBe(group.cause);
    expect(await cause.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    for (const operator of group.operators.slice(0, 3)) await row.getByText(operator).first().waitFor();
  }
  const first = rows(page).first();
  await first.getByText('Command to reproduce it').click();
  await first.getByText(groups[0]?.example.repro ?? '?', { exact: true }).waitFor();
});

test('a click shows the cases of a group, and all failures', async () => {
  const page = await open();
  const second = failures.groups[1];
  await rows(page).nth(1).locator('.group-open').click();
  await listed(page).toBe(second?.cases);
  await page.getByText(`Cases of one group: ${second?.cause}`).waitFor();
  await page.reload();
  await listed(page).toBe(second?.cases);

  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: /^Failures by cause/ }).click();
  await page.getByRole('link', { name: 'List all of them' }).click();
  await listed(page).toBe(failures.cases);
});

test('groups are reached by keyboard', async () => {
  const page = await open();
  for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key);
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  expect(focused).toContain(failures.groups[1]?.cause);
  await page.keyboard.press('Enter');
  await listed(page).toBe(failures.groups[1]?.cases);
});

test('on a phone nothing sticks out', async () => {
  const page = await open({ width: 360, height: 780, touch: true });
  expect(await overflow(page)).toBe(0);
  const table = page.getByRole('region', { name: 'Failures by cause' });
  expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
});
