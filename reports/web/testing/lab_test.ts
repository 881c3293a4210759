// The lab's home page with made-up answers: what changed, matrices, causes, agents, a range of days, CSV.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, overflow, visit } from './browser';
import { serveFixture, type FixtureServer } from './fixture_server';
import { BUILD } from './programs';

const SHOTS = process.env['DIOPI_SCREENSHOTS'] ?? join(BUILD, 'screenshots');
let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), serveFixture(200)]);
  mkdirSync(SHOTS, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

const region = (page: Page, name: string) => page.getByRole('region', { name });

// The lines of the file that the button beside a table saves.
async function saved(page: Page, name: string): Promise<string[]> {
  const button = page.locator('.exported', { has: region(page, name) }).getByRole('button', { name: 'CSV' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const text = readFileSync((await download.path()) ?? '', 'utf8');
  expect(text[0], 'byte order mark').toBe('\ufeff');
  return text.slice(1).split('\r\n').slice(0, -1);
}

test('what changed, causes, operators, agents, and each table as CSV', async () => {
  const { page, complaints } = await visit(browser, { origin: server.origin, width: 1360, height: 3000 });
  await page.goto('/');
  const changes = region(page, 'Since the last green run');
  await changes
    .getByRole('row', { name: /^fixture / })
    .getByText('40 → 30 pass, 10 fail')
    .waitFor();
  await changes.getByText('2 more operators').waitFor();
  await changes.getByText('no green run yet').waitFor();
  await changes.getByText('✓ green').waitFor();
  expect(await changes.getByRole('link', { name: 'compare' }).getAttribute('href')).toBe(
    '/compare?a=green&b=large',
  );
  const causes = region(page, 'Failures of all chips by cause');
  expect(await causes.getByRole('link', { name: '5 cases' }).getAttribute('href')).toBe(
    '/runs/large?group=0a1b2c3d&view=cases',
  );
  const operators = region(page, 'Operators by chips');
  expect(await operators.getByRole('link', { name: '30/40' }).getAttribute('href')).toBe(
    '/runs/large?operator=add&view=cases',
  );
  const agents = region(page, 'Agents');
  for (const row of [
    /^lab-1 .*online/,
    /^lab-2 .*busy .*12 of 40 cases/,
    /^lab-3 .*device returned zeros/,
    /^lab-4 .*lost/,
  ])
    await agents.getByRole('row', { name: row }).waitFor();

  expect(await saved(page, 'Since the last green run')).toHaveLength(4);
  expect(await saved(page, 'Operators by chips')).toEqual([
    'Operator,fixture,new chip,good',
    'add,30/40,no case was called,40/40',
    'softmax,4/9,no case was called,9/9',
  ]);
  expect((await saved(page, 'Failures of all chips by cause'))[1]).toBe(
    `fixture,large,70,fail,add mul sub,"'=SUM(""reads past the end of a row, by N elements"")",add.float32.p0`,
  );
  expect((await saved(page, 'Agents'))[2]).toBe(
    'lab-2,fixture,lab,busy,2026-01-02T03:14:05Z,large 12 of 40 cases,1.0 0123456789ab',
  );
  expect((await saved(page, 'Runs'))[1]).toContain('commit 0123456789ab branch faster-add');

  await page.getByRole('combobox', { name: 'Any chip' }).selectOption('failing');
  await page.getByText('1 of 2 operators').waitFor();
  await page.getByLabel('to', { exact: true }).fill('2020-01-01');
  await page.getByText('There is no run in these days.').waitFor();
  expect(new URL(page.url()).search).toBe('?show=failing&to=2020-01-01');
  await page.getByRole('button', { name: 'All days' }).click();
  await changes.waitFor();
  expect(complaints).toEqual([]);
});

test('a run’s page has its labels, and saves all of its cases', async () => {
  const { page, complaints } = await visit(browser, { origin: server.origin });
  await page.goto('/runs/large?view=cases');
  const labels = page.getByRole('list', { name: 'Labels' });
  await labels.getByText('faster-add').waitFor();
  expect(await labels.getByRole('link').getAttribute('href')).toBe('https://ci.example/7');
  await page.getByRole('grid', { name: 'Cases of the run' }).waitFor();
  const button = page
    .locator('.exported', { has: page.getByRole('grid') })
    .getByRole('button', { name: 'CSV' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(download.suggestedFilename()).toBe('cases.csv');
  expect(readFileSync((await download.path()) ?? '', 'utf8').split('\r\n')).toHaveLength(202);
  expect(complaints).toEqual([]);
});

test.each([
  ['zh-light', { locale: 'zh-CN', width: 1360, height: 900 }],
  ['dark', { dark: true, width: 1360, height: 900 }],
  ['phone', { width: 360, height: 780, touch: true }],
])('%s: nothing sticks out, and a screenshot', async (name, options) => {
  const { page, complaints } = await visit(browser, { origin: server.origin, ...options });
  await page.goto('/');
  await page.getByText('lab-4').waitFor();
  await page.getByText('operator_0').waitFor();
  expect(await overflow(page)).toBe(0);
  await page.screenshot({ path: join(SHOTS, `lab-${name}.png`), fullPage: true });
  expect(complaints).toEqual([]);
});

test('114 chips: a line each, sorted and filtered, and counts in place of columns', async () => {
  const many = await serveFixture(200, true);
  const { page, complaints } = await visit(browser, { origin: many.origin, width: 1360, height: 900 });
  await page.goto('/');
  const chips = page.getByRole('grid', { name: 'Chips' });
  await chips.waitFor();
  expect(await chips.getAttribute('aria-rowcount')).toBe('115');
  const first = () => chips.getByRole('row').nth(1).textContent();
  expect(await first()).toContain('chip 001');
  await chips.getByRole('button', { name: 'Passing' }).click();
  await expect.poll(first).toContain('chip 113');
  const operators = region(page, 'Operators by chips');
  expect(await operators.getByRole('row', { name: /^add/ }).textContent()).toMatch(/✕ 76.*– 38/);
  const causes = region(page, 'Failures of all chips by cause');
  await causes.getByText('110 more chips').waitFor();
  const models = region(page, 'Models by chips');
  expect(await models.getByRole('row', { name: /^crnn/ }).textContent()).toMatch(/✓ 1◐ 1✕ 112/);
  await page.screenshot({ path: join(SHOTS, 'lab-many.png') });

  await page.getByRole('searchbox', { name: 'Chip', exact: true }).fill('chip 00');
  await page.getByText('9 of 114 chips').waitFor();
  expect(await operators.getByRole('columnheader').count()).toBe(10);
  expect(await models.getByRole('link', { name: 'passes scaled' }).count()).toBe(1);
  expect(await region(page, 'Since the last green run').getByRole('row').count()).toBe(10);
  const third = chips.getByRole('row', { name: /chip 003/ });
  expect(await third.textContent()).toContain('partial');

  await page.goto('/coverage');
  const coverage = region(page, 'Functions by chips');
  expect(await coverage.getByRole('row', { name: /^diopiAdd/ }).textContent()).toMatch(/✓ 38✕ 38.*– 38/);
  await page.getByRole('searchbox', { name: 'Chip', exact: true }).fill('chip 00');
  expect(await coverage.getByRole('columnheader').count()).toBe(11);
  expect(complaints).toEqual([]);
  many.close();
});

test('114 chips on a phone, in Chinese', async () => {
  const many = await serveFixture(200, true);
  const options = { locale: 'zh-CN', width: 360, height: 780, touch: true };
  const { page, complaints } = await visit(browser, { origin: many.origin, ...options });
  await page.goto('/');
  await page.getByRole('grid', { name: '芯片' }).waitFor();
  await page.getByText('operator_0').first().waitFor();
  expect(await overflow(page)).toBe(0);
  await page.screenshot({ path: join(SHOTS, 'lab-many-phone-zh.png') });
  expect(complaints).toEqual([]);
  many.close();
});
