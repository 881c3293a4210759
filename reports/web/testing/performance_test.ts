// The pages of measured performance, with made-up answers: figures, filters, the comparison and the trend.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, look as lookWith, overflow, type VisitOptions } from './browser';
import { FORMER, MEASURED } from './fixture_performance';
import { serveFixture, type FixtureServer } from './fixture_server';
import { BUILD } from './programs';

const SHOTS = process.env['DIOPI_SCREENSHOTS'] ?? join(BUILD, 'screenshots');
const TAB = `/runs/${MEASURED}?view=performance`;
let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), serveFixture(500)]);
  mkdirSync(SHOTS, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

const look = (body: (page: Page) => Promise<void>, options: Partial<VisitOptions> = {}): Promise<void> =>
  lookWith(browser, body, { origin: server.origin, ...options });

// The middles of a chart's marks, from the left; the legend above has the same symbols.
const marks = (chart: Locator) =>
  chart.locator('svg path').evaluateAll((paths) => {
    const boxes = paths.map((path) => path.getBoundingClientRect());
    const top = Math.min(...paths.map((path) => path.closest('svg')?.getBoundingClientRect().top ?? 0));
    return boxes
      .filter(({ width, height, y }) => Math.abs(width - 9) < 4 && Math.abs(height - 9) < 4 && y > top + 28)
      .map(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))
      .sort((a, b) => a.x - b.x);
  });

const table = (page: Page) => page.getByRole('grid', { name: 'Measured calls of the run' });
const views = (page: Page) => page.getByRole('navigation', { name: 'Views' });
const address = (page: Page) => new URL(page.url());

test('only a run that measured something has the tab', () =>
  look(async (page) => {
    await page.goto(`/runs/large?view=performance`);
    await page.getByText('List all of them').first().waitFor();
    expect(
      await views(page)
        .getByRole('link', { name: /^Performance/ })
        .count(),
    ).toBe(0);
    await page.goto(`/runs/${MEASURED}`);
    await views(page).getByRole('link', { name: 'Performance 59' }).click();
    await table(page).waitFor();
    expect(address(page).search).toBe('?view=performance');
  }));

test('how it was measured, the plot, and the steps of models in figures', () =>
  look(async (page) => {
    await page.goto(TAB);
    const how = page.getByRole('region', { name: 'How it was measured' });
    for (const text of [
      'Vendor X1 80GB',
      'specification of the X1',
      'A call of two elements takes 6.2 µs.',
      'The rounds of one call in ten differ by more than a factor of 1.04.',
      '17 of 2360 were disturbed.',
      '1 of 60 calls.',
      'The time of NVIDIA A100 over the chip’s.',
    ])
      await how.getByText(text, { exact: true }).waitFor();
    const plot = page.getByRole('img', { name: /^Roofline: 49 calls/ });
    await expect.poll(async () => (await marks(plot)).length).toBe(49);
    await plot.getByText('bfloat16, float16').waitFor(); // the roof that they share
    await page.getByText('10 measured calls without operations').waitFor();

    const steps = page.getByRole('table', { name: 'Steps of models' });
    const prefill = steps.getByRole('row', { name: /gpt2 prefill/ });
    await prefill.getByText('29 of 31 calls measured').waitFor();
    await prefill.getByText('not measured').waitFor(); // no total from parts
    expect(await prefill.getByText('matmul').count()).toBe(0);
    await steps
      .getByRole('row', { name: /gpt2 decode/ })
      .getByText('others 4.14%, 40 µs')
      .waitFor();
    await steps.getByRole('row', { name: /^vit/ }).getByText('not measured').waitFor();
  }));

test('a mark of the plot says which call it is, and opens its case', () =>
  look(async (page) => {
    await page.goto(TAB);
    const plot = page.getByRole('img', { name: /^Roofline/ });
    await plot.scrollIntoViewIfNeeded();
    const { x, y } = (await marks(plot)).at(-1) ?? { x: 0, y: 0 };
    await page.mouse.move(x, y);
    await page.getByText(/^diopi\w+, b?float/).waitFor();
    await page.mouse.click(x, y);
    await expect.poll(() => address(page).pathname).toMatch(new RegExp(`^/runs/${MEASURED}/cases/add`));
  }));

test('calls: filtered, sorted, with the reason where there is no time', () =>
  look(async (page) => {
    await page.goto(TAB);
    await table(page).waitFor();
    expect(await table(page).getAttribute('aria-rowcount')).toBe('61');
    await page.getByRole('searchbox').fill('softmax');
    await expect.poll(() => table(page).getAttribute('aria-rowcount')).toBe('11');
    await table(page).getByText('not measured: the case fails: out: 3 of 4096 elements').waitFor();
    expect(await table(page).getByText(/^0 µs/).count()).toBe(0);
    for (const direction of ['descending', 'ascending']) {
      const head = table(page).getByRole('columnheader', { name: 'median' });
      await head.getByRole('button').click();
      await expect.poll(() => head.getAttribute('aria-sort')).toBe(direction);
      const last = table(page).locator('tbody tr[role=row]').last();
      expect(await last.innerText()).toContain('not measured');
    }
    await page.getByRole('combobox', { name: 'Time' }).selectOption('yes');
    await expect.poll(() => table(page).getAttribute('aria-rowcount')).toBe('10');
    await page.reload();
    await expect.poll(() => table(page).getAttribute('aria-rowcount')).toBe('10');
    await table(page).getByRole('link').first().click();
    await page.getByRole('heading', { name: /^add\..*point_/ }).waitFor();
    expect(address(page).pathname).toMatch(new RegExp(`^/runs/${MEASURED}/cases/`));
  }));

test('a comparison names slower and faster functions, with noise, ratios and p', () =>
  look(async (page) => {
    await page.goto(TAB);
    const part = page.getByRole('region', { name: 'Comparison with another run' });
    await part.getByRole('combobox', { name: 'Run' }).selectOption(FORMER);
    await expect.poll(() => address(page).search).toBe(`?view=performance&against=${FORMER}`);
    await part.getByText('1 function slower:').waitFor();
    await part.getByText('1 function faster:').waitFor();
    await part.getByText('beyond a factor of 1.10').waitFor();
    await part.getByText('All calls share a factor of 1.02').waitFor();
    const ratios = part.getByRole('region', { name: 'Ratios of the calls in both runs' });
    const first = ratios.getByRole('row').nth(1);
    expect(await first.innerText()).toMatch(/slower[^]*diopiSoftmax[^]*×1\.62[^]*1\.54 to 1\.70[^]*3\.10e-4/);
    await part.getByRole('combobox', { name: 'Change' }).selectOption('faster');
    await expect.poll(() => ratios.getByRole('row').count()).toBe(2);
    await ratios.getByText('diopiAdd', { exact: false }).first().waitFor();
  }));

test('a chip shows the time of its models’ steps over its measured runs', () =>
  look(async (page) => {
    await page.goto('/chips/fixture');
    const chart = page.getByRole('img', { name: /^Estimated time of a step of each model, of 3 runs/ });
    await chart.waitFor();
    await page.getByText('Figures', { exact: true }).click();
    const figures = page.getByRole('table', { name: 'Time of a step by run' });
    expect(await figures.getByRole('columnheader').allInnerTexts()).toEqual([
      'Run',
      'gpt2 decode',
      'resnet50',
    ]);
    await chart.scrollIntoViewIfNeeded();
    const { x, y } = (await marks(chart)).at(-1) ?? { x: 0, y: 0 };
    await page.mouse.click(x, y);
    await expect.poll(() => address(page).pathname + address(page).search).toBe(TAB);
  }));

test.each([
  ['light', { dark: false, width: 1360, height: 900 }],
  ['dark', { dark: true, width: 1360, height: 900 }],
  ['phone', { dark: false, width: 360, height: 780, touch: true }],
  ['zh', { dark: false, width: 1360, height: 900, locale: 'zh-CN' }],
])('%s: nothing sticks out, and screenshots', (name, options) =>
  look(async (page) => {
    for (const [shot, path] of [
      ['tab', TAB],
      ['comparison', `${TAB}&against=${FORMER}&q=softmax`],
      ['chip', '/chips/fixture'],
    ]) {
      await page.goto(path ?? '');
      await page.waitForLoadState('networkidle');
      await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0);
      expect(await overflow(page), shot).toBe(0);
      await page.screenshot({ path: join(SHOTS, `performance-${shot}-${name}.png`), fullPage: true });
    }
  }, options),
);

test('every column of figures explains itself', () =>
  look(async (page) => {
    for (const path of [`${TAB}&against=${FORMER}`, '/chips/fixture']) {
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      const mute = await page.evaluate(() =>
        [...document.querySelectorAll('th.num')]
          .filter((th) => th.querySelector('[data-tip]') === null)
          .map((th) => th.textContent),
      );
      expect(mute).toEqual([]);
    }
  }));
