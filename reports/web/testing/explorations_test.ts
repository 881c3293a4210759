// Explorations on the chip's page and on pages of their own: causes, operator files, the lines that repeat them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunPage } from '../src/api/messages';
import { launch, overflow, visit } from './browser';
import { CPU, Server, TempFolder, mustRun, program, vendor } from './programs';

const folder = new TempFolder();
let browser: Browser;
let server: Server;
let id: string;

// Of a library that ignores an attribute; returns the exploration's id.
async function explore(library: string, chip: string, more: string[]): Promise<string> {
  const words = [program('diopi-agent'), '--server', server.address, '--impl', library, '--chip', chip];
  const out = await mustRun([...words, '--report-dir', folder.path, '--explore', ...more], [0, 1], {
    DIOPI_MUTANT: 'add_alpha_ignored',
  });
  const found = /exploration (\d{8}-\d{6}-\w+)/.exec(out)?.[1];
  if (found === undefined) throw new Error(`no exploration in: ${out.slice(-500)}`);
  return found;
}

beforeAll(async () => {
  const data = join(folder.path, 'data');
  await mustRun([program('diopi-cli'), 'gen', '--quiet', '--data', data, '--fname', 'add']);
  [browser, server] = await Promise.all([launch(), Server.start(data)]);
  await server.testLibrary(CPU, 'chip', folder.path, ['--fname', 'add']);
  id = await explore(vendor('libdiopi_mutants'), 'chip', ['64', '--fname', 'add', '--seed', '7']);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

const load = async <T>(path: string) => (await (await fetch(`${server.origin}/api/v1${path}`)).json()) as T;

test.each([
  ['desktop', 1360],
  ['phone', 360],
])('%s: from the chip to the causes and their files', async (_, width) => {
  const { page, complaints } = await visit(browser, { origin: server.origin, width, height: 900 });
  const { exploration } = await load<RunPage>(`/runs/${id}`);
  const cause = exploration?.causes[0];
  if (!exploration || !cause?.text) throw new Error('no cause');
  await page.goto('/chips/chip');
  const row = page.getByRole('region', { name: 'Explorations' }).getByRole('row', { name: id });
  await row.getByText('64 calls').waitFor();
  expect(await row.locator('td.num').allInnerTexts()).toEqual(
    ['7', exploration.functions_called, exploration.calls, exploration.failed, exploration.causes.length].map(
      String,
    ),
  );
  await row.getByRole('link', { name: id }).click();
  await page.getByText(cause.command).first().waitFor();
  const copy = await page.getByRole('button', { name: 'Copy' }).first().boundingBox();
  expect((copy?.x ?? width) + (copy?.width ?? 0)).toBeLessThan(width);
  const button = page.getByRole('button', { name: `Save ${cause.file}` });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(download.suggestedFilename()).toBe(cause.file);
  expect(readFileSync((await download.path()) ?? '', 'utf8')).toBe(cause.text);
  expect(cause.text).toContain(`# Repeat: ${cause.command}`);
  await page.getByRole('row', { name: /^diopiAdd / }).waitFor();
  expect(await overflow(page)).toBe(0);
  expect(complaints).toEqual([]);
});

test('in Chinese', async () => {
  const { page } = await visit(browser, { origin: server.origin, locale: 'zh-CN' });
  await page.goto(`/runs/${id}`);
  await page.getByRole('heading', { name: '原因' }).waitFor();
  await page.getByText('64 次调用').first().waitFor();
});

test('an exploration is no run of the chip', async () => {
  const { runs } = await load<{ runs: { run_id: string }[] }>('/runs?chip=chip');
  expect(runs).toHaveLength(1);
  expect(runs[0]?.run_id).not.toBe(id);
  const { page } = await visit(browser, { origin: server.origin });
  await page.goto('/chips/chip');
  await page.getByRole('heading', { name: '1 run', exact: true }).waitFor();
});

test('a chip that was only explored has a page', async () => {
  const only = await explore(CPU, 'only explored', ['16', '--fname', 'add', '--seed', '7']);
  const { page } = await visit(browser, { origin: server.origin });
  await page.goto('/chips/only%20explored');
  await page.getByText('This chip has no runs yet, only explorations.').waitFor();
  await page.getByRole('link', { name: only }).waitFor();
  expect(await page.getByText('Not found').count()).toBe(0);
});
