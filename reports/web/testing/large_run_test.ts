// A run of 12,000 cases: the table stays quick and small.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, visit } from './browser';
import { serveFixture, type FixtureServer } from './fixture_server';

const CASES = 12_000;
let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), serveFixture(CASES)]);
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

test('12,000 cases: few rows in the document, any row reached, filters within a blink', async () => {
  const { page, complaints } = await visit(browser, { origin: server.origin });
  await page.goto('/runs/large');
  const table = page.getByRole('grid', { name: 'Cases of the run' });
  await table.locator('tbody tr[role=row]').first().waitFor();
  expect(Number(await table.getAttribute('aria-rowcount'))).toBe(CASES + 1);
  expect(await table.locator('tbody tr').count()).toBeLessThan(80);

  await table.focus();
  await page.keyboard.press('End');
  await table.locator('tr[aria-selected=true]', { hasText: 'point_11999' }).waitFor();
  expect(await table.locator('tbody tr').count()).toBeLessThan(80);
  await page.keyboard.press('Home');
  await table.locator('tr[aria-selected=true]', { hasText: 'point_00000' }).waitFor();

  // From the key to the painted frame, in the page's own clock.
  const took = await page.evaluate(async () => {
    const field = document.querySelector<HTMLInputElement>('input[type=search]');
    if (!field) throw new Error('no search field');
    const start = performance.now();
    field.value = 'softmax point_0042';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    return performance.now() - start;
  });
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('2');
  console.log(`filtering ${CASES} rows, painted: ${took.toFixed(0)} ms`);
  expect(took).toBeLessThan(1000);
  expect(complaints).toEqual([]);
});
