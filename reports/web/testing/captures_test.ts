// Captured calls: the list of captures and the calls of one, with a real host, the tap and a real server.
import { mkdirSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CapturePage } from '../src/api/messages';
import { launch, overflow, visit } from './browser';
import { BUILD, CPU, Server, TempFolder, mustRun } from './programs';

const SHOTS = process.env['DIOPI_SCREENSHOTS'] ?? join(BUILD, 'screenshots');
const folder = new TempFolder();
let browser: Browser;
let server: Server;

// Trains on two threads, whose first calls of each signature are captured.
async function capture(data: string, name: string): Promise<string> {
  const path = join(data, 'captures', name);
  await mustRun(
    [join(BUILD, 'tools/tap_host'), join(BUILD, 'lib/libdiopi_tap.so'), 'transformer', '1', '9', '2'],
    [0],
    {
      DIOPI_TAP_IMPL: CPU,
      DIOPI_TAP_CAPTURE: path,
      DIOPI_TAP_EVERY_CALL: '1',
      OP_CAPTURE_LIST: 'softmax,gelu',
    },
  );
  return path;
}

beforeAll(async () => {
  const data = join(folder.path, 'data');
  mkdirSync(SHOTS, { recursive: true });
  await capture(data, 'step 1');
  const cut = await capture(data, 'cut');
  truncateSync(join(cut, readdirSync(cut)[0] ?? ''), 100);
  [browser, server] = await Promise.all([launch(), Server.start(data)]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

test.each([
  ['desktop', 1360],
  ['phone', 360],
])('%s: from the list to the calls', async (name, width) => {
  const { page, complaints } = await visit(browser, { origin: server.origin, width, height: 900 });
  const load = async (path: string) =>
    (await (await fetch(`${server.origin}/api/v1${path}`)).json()) as CapturePage;
  const { list, threads } = await load('/captures/step%201');
  expect(threads).toBe(2);
  await page.goto('/captures');
  const row = page.getByRole('region', { name: 'Captures' }).getByRole('row', { name: 'step 1' });
  await row.waitFor();
  const [calls, functions, processes, size] = await row.locator('td.num').allInnerTexts();
  expect([calls, functions, processes]).toEqual([String(list.length), '4', '1']);
  expect(size).toMatch(/^[\d.]+ KiB$/);
  await row.getByRole('link', { name: 'step 1' }).click();
  await page.getByRole('heading', { name: 'step 1', level: 1 }).waitFor();
  const rows = page.getByRole('region', { name: 'Calls' }).locator('tbody tr');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(list.length);
  expect(await rows.first().innerText()).toContain('float32 (2, 6, 6)');
  await page.getByText("diopi-cli replay 'step 1' --impl LIBRARY").waitFor();
  expect(await overflow(page)).toBe(0);
  expect(complaints).toEqual([]);
  await page.screenshot({ path: join(SHOTS, `captures-${name}.png`), fullPage: true });
});

test('a damaged file is named, and the others are shown', async () => {
  const { page } = await visit(browser, { origin: server.origin });
  await page.goto('/captures/cut');
  await page.getByText(/\.h5: /).waitFor();
  expect(await page.getByRole('region', { name: 'Calls' }).locator('tbody tr').count()).toBeGreaterThan(0);
});

test('in Chinese', async () => {
  const { page } = await visit(browser, { origin: server.origin, locale: 'zh-CN' });
  await page.goto('/captures');
  await page.getByRole('heading', { name: '捕获记录', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'step 1' }).click();
  await page.getByRole('columnheader', { name: '张量' }).waitFor();
  await page.getByText('无需框架，逐次判定：').waitFor();
});
