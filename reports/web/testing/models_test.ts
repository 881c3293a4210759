// Models by chips: ready, passing with calls made smaller, or what is missing.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelsPage } from '../src/api/messages';
import { launch, overflow, visit } from './browser';
import { CPU, Server, TempFolder, mustRun, program, scaledModels, vendor } from './programs';

const folder = new TempFolder();
let browser: Browser;
let server: Server;

beforeAll(async () => {
  const data = join(folder.path, 'data');
  await mustRun([program('diopi-cli'), 'gen', '--quiet', '--data', data, ...scaledModels('crnn,vit')]);
  [browser, server] = await Promise.all([launch(), Server.start(data)]);
  await server.testLibrary(CPU, 'good', folder.path, scaledModels('crnn,vit'));
  await server.testLibrary(vendor('libdiopi_faulty'), 'faulty', folder.path, scaledModels('crnn'));
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

test.each([
  ['desktop', 1360],
  ['phone', 360],
])('%s: ready only at true sizes, and which functions fail', async (_, width) => {
  const { page } = await visit(browser, { origin: server.origin, width, height: 900 });
  await page.goto('/models');
  const { chips, models } = (await (await fetch(`${server.origin}/api/v1/models`)).json()) as ModelsPage;
  const cell = models.find((model) => model.name === 'crnn')?.cells[chips.indexOf('faulty')];
  expect(cell?.ready).toBe(false);
  const row = page.getByRole('row', { name: /^crnn / });
  await row.getByRole('link', { name: 'passes scaled' }).waitFor();
  await row.getByText(`${cell?.scaled} of ${cell?.calls} calls scaled to 16 KiB a tensor`).first().waitFor();
  await row.getByText(`${cell?.passing} of ${cell?.calls} calls pass`).waitFor();
  await row.locator('summary').click();
  for (const name of cell?.failing_functions ?? [])
    await row.getByText(`${name} fails`, { exact: true }).waitFor();
  expect(
    await page.getByRole('row', { name: /^vit / }).locator('td[title="vit on faulty: not run"]').count(),
  ).toBe(1);
  expect(await overflow(page)).toBe(0);
  await page.getByRole('searchbox').fill('text recognition');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
});

test('a chip shows what stands between it and each model', async () => {
  const { page } = await visit(browser, { origin: server.origin, width: 1360, height: 900 });
  await page.goto('/chips/faulty');
  await page.getByText('0 of 1 model ready').waitFor();
  await page.getByRole('row', { name: /^crnn \d+ functions? failing/ }).waitFor();
  await page.goto('/chips/good');
  await page.getByText('0 of 2 models ready').waitFor();
  await page.getByRole('row', { name: /^crnn passes scaled \d+ of \d+ calls scaled/ }).waitFor();
});
