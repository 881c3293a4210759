// Names that a chip may have, through agent, server, address bar and page.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, overflow, visit } from './browser';
import { CPU, mustRun, program, run, Server, TempFolder } from './programs';

const ODD = 'acme/100 #2?';
const LONG = `long-${'x'.repeat(59)}`; // 64 bytes, the most there is
const RELU = ['--fname', 'diopiRelu', '--case', 'relu.float32.*'];
const folder = new TempFolder();
let browser: Browser;
let server: Server;

beforeAll(async () => {
  const data = join(folder.path, 'data');
  await mustRun([program('diopi-cli'), 'gen', '--quiet', '--data', data, '--fname', 'relu']);
  [browser, server] = await Promise.all([launch(), Server.start(data)]);
  for (const chip of [ODD, LONG]) await server.testLibrary(CPU, chip, folder.path, RELU);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

test.each([[ODD], [LONG]])(
  '%s: its page opens by a click and by its address, and nothing sticks out',
  async (chip) => {
    const { page, complaints } = await visit(browser, { origin: server.origin, width: 390 });
    await page.goto('/');
    const link = page.getByRole('article', { name: chip }).getByRole('link', { name: chip, exact: true });
    expect(await link.getAttribute('title')).toBe(chip);
    expect(await overflow(page)).toBe(0);
    await link.click();
    const heading = page.getByRole('heading', { name: chip, level: 1 });
    await heading.waitFor();
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(`/chips/${chip}`);
    await page.reload();
    await heading.waitFor();
    await page.getByRole('table').first().waitFor();
    expect(await overflow(page)).toBe(0);

    await page.getByRole('link', { name: 'latest run' }).click();
    await page.getByRole('link', { name: chip, exact: true }).click();
    await heading.waitFor();
    await page.goto(`/runs?chip=${encodeURIComponent(chip)}`);
    await page.getByRole('region', { name: 'Runs' }).getByRole('link', { name: chip, exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Runs' }).locator('tbody tr').count()).toBe(1);
    expect(await overflow(page)).toBe(0);
    expect(complaints).toEqual([]);
  },
);

test('a long name is cut with an ellipsis, and the whole of it is the title', async () => {
  const { page } = await visit(browser, { origin: server.origin });
  for (const path of ['/', `/chips/${LONG}`, '/runs', '/coverage']) {
    await page.goto(path);
    const name = page.getByTitle(LONG, { exact: true }).first();
    await name.waitFor();
    const style = await name.evaluate((element) => getComputedStyle(element).textOverflow);
    expect(style, path).toBe('ellipsis');
    expect(await overflow(page)).toBe(0);
  }
  await page.goto('/');
  const link = page.getByRole('article', { name: LONG }).getByTitle(LONG, { exact: true });
  expect(await link.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeGreaterThan(0);
});

test('a longer name is refused in words', async () => {
  const words = server.agentWords(CPU, `${LONG}x`, folder.path, RELU);
  const { code, err } = await run(words);
  expect(code).toBe(2);
  expect(err).toContain('--chip: the name of a chip has at most 64 bytes; this one has 65');
});
