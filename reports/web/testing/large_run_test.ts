// A run of 12,000 cases: the table stays fast and small, and shows its reasons in full.
import type { Browser, Page } from 'playwright-core';
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
  await page.goto('/runs/large?view=cases');
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

// Every row in view shows the whole of its text, and rows do not overlap.
const cutTexts = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.data-table tbody tr[role=row]')].flatMap((row) => {
      const bottom = row.getBoundingClientRect().bottom;
      return [...row.querySelectorAll<HTMLElement>('.wrapped')]
        .filter((text) => text.offsetParent !== null && text.innerText !== '')
        .filter((text) => {
          const box = text.getBoundingClientRect();
          return box.bottom > bottom + 0.5 || text.scrollWidth > text.clientWidth + 1;
        })
        .map((text) => text.innerText);
    }),
  );

test.each([
  ['a desk', 1360],
  ['a phone', 360],
])('reasons are not cut on %s', async (_, width) => {
  const { page } = await visit(browser, { origin: server.origin, width });
  await page.goto('/runs/large?outcome=fail&sort=case_id&view=cases');
  const table = page.getByRole('grid', { name: 'Cases of the run' });
  await table.locator('.wrapped:visible', { hasText: 'end' }).first().waitFor();
  const lines = await table.evaluate(
    (grid) => new Set([...grid.querySelectorAll('tr[role=row]')].map((row) => row.clientHeight)).size,
  );
  expect(lines).toBeGreaterThan(2); // of several heights
  expect(await cutTexts(page)).toEqual([]);
  await table.focus();
  await page.keyboard.press('End');
  await table.locator('tr[aria-selected=true]').waitFor();
  expect(await cutTexts(page)).toEqual([]);
});
