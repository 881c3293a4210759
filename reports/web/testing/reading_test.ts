// Things that a reader must see, with made-up answers: columns that explain themselves, single
// elements of a histogram, and which runs are partial.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, visit } from './browser';
import { serveFixture, type FixtureServer } from './fixture_server';

let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), serveFixture(500)]);
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

test('columns say what they mean, to the pointer and to the keyboard', async () => {
  const { page } = await visit(browser, { origin: server.origin });
  await page.goto('/runs/large?view=cases');
  const head = page.getByRole('columnheader', { name: 'max z' }).getByRole('button');
  const tip = page.getByRole('tooltip');
  await head.hover();
  await tip.getByText('units of the rounding noise').waitFor();
  await page.mouse.move(5, 5);
  await expect.poll(() => tip.count()).toBe(0);

  await page.getByRole('columnheader', { name: 'Case', exact: true }).getByRole('button').focus();
  await page.keyboard.press('Tab'); // Reason
  await tip.getByText('Why the case has this verdict').waitFor();
  await page.keyboard.press('Tab');
  await tip.getByText('units of the rounding noise').waitFor();
  expect(await head.getAttribute('aria-describedby')).toBe(await tip.getAttribute('id'));
  await page.keyboard.press('Escape');
  await expect.poll(() => tip.count()).toBe(0);

  // Every column of figures in every table of the page explains itself.
  const mute = await page.evaluate(() =>
    [...document.querySelectorAll('th.num')]
      .filter((th) => th.querySelector('[data-tip]') === null)
      .map((th) => th.textContent),
  );
  expect(mute).toEqual([]);
});

test('a histogram shows bars of height one', async () => {
  const { page } = await visit(browser, { origin: server.origin });
  await page.goto('/runs/large/cases/add.float16.point_00097');
  const chart = page.getByRole('img', { name: /^Elements by error\./ });
  await chart.locator('svg').waitFor();
  const accent = await page.evaluate(() => {
    const probe = document.createElement('span');
    probe.style.color = 'var(--accent)';
    document.body.append(probe);
    return getComputedStyle(probe).color;
  });
  const heights = await chart
    .locator('path')
    .evaluateAll(
      (paths, fill) =>
        (paths as SVGPathElement[])
          .filter((path) => getComputedStyle(path).fill === fill)
          .map((path) => path.getBBox().height),
      accent,
    );
  expect(heights.length).toBe(3);
  for (const height of heights) expect(height).toBeGreaterThan(5);
  expect(Math.max(...heights)).toBeGreaterThan(3 * Math.min(...heights));
});

test('a partial run is marked, never stands for the chip, and is no point of a trend', async () => {
  const { page } = await visit(browser, { origin: server.origin });
  await page.goto('/');
  const card = page.getByRole('article', { name: 'fixture' });
  await card.getByRole('link', { name: 'newest complete run' }).waitFor();
  expect(await card.getByRole('link', { name: 'newest complete run' }).getAttribute('href')).toBe(
    '/runs/large',
  );
  await card.getByText('3 of 538', { exact: true }).waitFor();
  await card.getByText('functions add of suite core').waitFor();
  expect(await card.getByRole('img', { name: /over 2 runs/ }).count()).toBe(2);
  const row = (run: string) => page.getByRole('region', { name: 'Runs' }).getByRole('row', { name: run });
  // Again if what loads meanwhile moves the row away from the pointer.
  await expect
    .poll(async () => {
      await page.mouse.move(0, 0);
      await row('one-operator').getByText('partial').hover();
      return page.getByRole('tooltip').getByText('functions add of suite core').isVisible();
    })
    .toBe(true);
  await row('lost').getByText('stalled').waitFor();
  expect(await row('older').getByText('partial').count()).toBe(0);

  await page.goto('/chips/fixture');
  await page.getByText('3 partial runs are not shown').waitFor();
  expect(
    await page.getByRole('img', { name: /^Functions that pass, and correctness, of 2 runs/ }).count(),
  ).toBe(1);
});

test('pages name files without the folders of the machine that has them', async () => {
  const { page } = await visit(browser, { origin: server.origin });
  await page.goto('/runs/large');
  await page.getByText('libdiopi_impl.so').first().waitFor();
  expect(await page.locator('body').textContent()).not.toContain('/opt/vendor');
});
