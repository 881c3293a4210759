// The pages over a real server and real runs, in a real browser.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lateFrames, launch, look as lookWith, overflow, visit, type VisitOptions } from './browser';
import { DemoData } from './demo_data';
import { BUILD, mustRun, program, run } from './programs';

const FAILING = 'sub.float32.float16_float32';
const SHOTS = process.env['DIOPI_SCREENSHOTS'] ?? join(BUILD, 'screenshots');
let browser: Browser;
let demo: DemoData;

beforeAll(async () => {
  [browser, demo] = await Promise.all([launch(), new DemoData().make()]);
  mkdirSync(SHOTS, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  await demo?.remove();
});

// A visit that must neither contact another host nor log an error.
const look = (body: (page: Page) => Promise<void>, options: Partial<VisitOptions> = {}): Promise<void> =>
  lookWith(browser, body, { origin: demo.server.origin, ...options });

const cases = (page: Page) => page.getByRole('grid', { name: 'Cases of the run' });
const rows = (page: Page) => page.locator('tr[role=row][aria-rowindex]:not([aria-rowindex="1"])');
const address = (page: Page) => new URL(page.url());

test('overview, chip, run, failing case, and the command that really reproduces it', () =>
  look(async (page) => {
    await page.goto('/');
    for (const chip of ['demo-faulty', 'demo-good', 'demo-small']) {
      const card = page.getByRole('article', { name: chip });
      await card.getByText('No complete run yet.').waitFor(); // all runs are of a few operators
      expect(await card.getByText('Correctness').count()).toBe(0);
    }
    expect(await page.getByText('No case fails').count()).toBe(0);
    await page.getByRole('link', { name: 'demo-faulty' }).first().click();
    await page.getByRole('heading', { name: 'demo-faulty', level: 1 }).waitFor();

    const known = page.getByRole('region', { name: 'Functions by their newest tests' });
    await known
      .getByRole('row', { name: /^diopiSub / })
      .getByRole('link')
      .click();
    await cases(page).waitFor();
    expect(address(page).pathname).toBe(`/runs/${demo.faultyAgain}`);
    expect(address(page).search).toBe('?q=diopiSub&view=cases');

    await page.getByRole('group', { name: 'Outcomes' }).getByRole('button', { name: 'all failures' }).click();
    await page.getByRole('searchbox').fill('float16_float32');
    await page.getByRole('link', { name: FAILING }).click();
    await page.getByRole('heading', { name: FAILING }).waitFor();
    await page.getByText('beyond the tolerance').first().waitFor();
    await page.getByText('beyond the last full vector of 4').first().waitFor(); // the likely cause
    await page.getByRole('region', { name: 'First mismatches of out' }).getByText('[28]').waitFor();
    await page.getByText('NVIDIA', { exact: true }).waitFor();
    await page.getByText('not measured').first().waitFor();
    await page.getByRole('region', { name: 'Arguments' }).getByText('float16 (31,)').waitFor();

    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain(`diopi-cli repro ${FAILING} --impl libdiopi_faulty.so`);
    const env = { PATH: `${join(BUILD, 'bin')}:${process.env['PATH']}`, DIOPI_DATA: demo.data };
    const again = await run([command], env, join(BUILD, 'lib/vendors'), true);
    expect(again.out).toMatch(/^Outcome +fail$/m);
    expect(again.out).toContain('[28] actual 0');
    expect(again.code).toBe(1);
  }));

test('what passed before: the history names the first bad run and leads to the comparison', () =>
  look(async (page) => {
    await page.goto(`/runs/${demo.faultyAgain}/cases/${FAILING}`);
    const history = page.locator('section', { has: page.getByRole('heading', { name: /^History/ }) });
    await history.getByText('Not passing since').waitFor();
    await history.getByRole('link', { name: 'compare the two' }).click();
    await page.getByRole('grid', { name: 'Differences' }).waitFor();
    expect(address(page).search).toBe(`?a=${demo.before}&b=${demo.faulty}`);
  }));

describe('filters', () => {
  test('live in the address: reload keeps them, back takes them away', () =>
    look(async (page) => {
      await page.goto(`/runs/${demo.faulty}?view=cases`);
      await cases(page).waitFor();
      const all = Number(await cases(page).getAttribute('aria-rowcount'));
      await page.getByRole('group', { name: 'Outcomes' }).getByRole('button', { name: /crash/ }).click();
      await expect.poll(() => address(page).search).toBe('?view=cases&outcome=crash');
      const { outcomes } = (await (await page.request.get(`/api/v1/runs/${demo.faulty}`)).json()) as {
        outcomes: Record<string, number>;
      };
      const rowsWithHead = String((outcomes.crash ?? 0) + 1);
      await expect.poll(() => cases(page).getAttribute('aria-rowcount')).toBe(rowsWithHead);
      await page.getByRole('searchbox').fill('size_1003');
      await page.getByRole('combobox', { name: 'dtype' }).selectOption('float32');
      await expect
        .poll(() => address(page).search)
        .toBe('?view=cases&outcome=crash&q=size_1003&dtype=float32');
      await expect.poll(() => rows(page).count()).toBe(1);

      await page.reload();
      await page.getByRole('link', { name: 'tanh.float32.size_1003' }).waitFor();
      expect(await rows(page).count()).toBe(1);
      expect(await page.getByRole('searchbox').inputValue()).toBe('size_1003');

      await page.goBack();
      await page.goBack();
      await expect.poll(() => cases(page).getAttribute('aria-rowcount')).toBe(String(all));
    }));

  test('the counts are the database’s', () =>
    look(async (page) => {
      await page.goto(`/runs/${demo.faulty}?view=cases`);
      await cases(page).waitFor();
      const answer = await page.request.get(`/api/v1/runs/${demo.faulty}`);
      const { outcomes, cases: total } = (await answer.json()) as {
        outcomes: Record<string, number>;
        cases: number;
      };
      expect(Number(await cases(page).getAttribute('aria-rowcount'))).toBe(total + 1);
      for (const [outcome, n] of Object.entries(outcomes)) {
        const chip = page.locator(`.chip[data-value=${outcome}] .chip-count`);
        expect((await chip.innerText()).replace(/\D/g, '')).toBe(String(n));
      }
    }));

  test('a click on a head sorts, largest first, and what was not measured last', () =>
    look(async (page) => {
      await page.goto(`/runs/${demo.faulty}?operator=softmax`);
      await page.getByRole('columnheader', { name: 'max z' }).getByRole('button').click();
      await expect.poll(() => address(page).search).toBe('?operator=softmax&sort=-max_z');
      await cases(page).focus();
      await page.keyboard.press('End');
      await page.locator('tr[aria-selected=true]', { hasText: '–' }).waitFor(); // not measured
    }));
});

test('two runs compared, by kind', () =>
  look(async (page) => {
    await page.goto('/compare');
    await page.getByRole('combobox', { name: 'Run A' }).selectOption(demo.before);
    await page.getByRole('combobox', { name: 'Run B' }).selectOption(demo.faulty);
    const grid = page.getByRole('grid', { name: 'Differences' });
    await grid.waitFor();
    await page.getByText('A and B differ in library').waitFor();
    await page.getByText(/Times are not compared: one run.s times are too noisy/).waitFor();
    await page.getByRole('heading', { name: /^\d+ newly failing, in \d+ groups by cause$/ }).waitFor();
    const kinds = page.getByRole('group', { name: 'Kinds of difference' });
    for (const kind of ['newly failing', 'newly refused'])
      expect(await kinds.getByRole('button', { name: new RegExp(kind) }).getAttribute('aria-pressed')).toBe(
        'true',
      ); // what was lost, by default
    await kinds.getByRole('button', { name: /newly refused/ }).click();
    await expect.poll(() => address(page).searchParams.get('kind')).toBe('newly_failing');
    await page.getByRole('searchbox').fill(FAILING);
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).first().click();
    await page.getByRole('heading', { name: FAILING }).waitFor();
    expect(address(page).pathname).toBe(`/runs/${demo.faulty}/cases/${FAILING}`);
  }));

test('coverage: functions by chips, and what was not tested is not green', () =>
  look(async (page) => {
    await page.goto('/coverage?q=diopiTanh');
    const head = page.getByRole('columnheader', { name: 'demo-good' });
    await head.getByText('partial').hover(); // all runs are of a few operators
    await page.getByRole('tooltip').getByText('functions add').waitFor();
    const row = page.getByRole('row', { name: /^diopiTanh / }).first();
    await row.locator('td[title*="demo-good: implemented, tested, passing"]').waitFor();
    await row.locator('td[title*="demo-faulty: implemented, tested, some fail"]').waitFor();
    await row.locator('td[title*="demo-small: not implemented"]').waitFor();
    await page.getByRole('searchbox').fill('diopiAdaptiveAvgPool2d');
    await page.locator('td[title*="diopiAdaptiveAvgPool2d on demo-good: implemented, not tested"]').waitFor();
  }));

describe('by keyboard alone', () => {
  test.each([['at once'], ['with late frames']])(
    'skip link, search, rows, case, copy, and back: %s',
    (when) =>
      look(async (page) => {
        if (when === 'with late frames') await lateFrames(page);
        await page.goto(`/runs/${demo.faulty}?view=cases`);
        await cases(page).waitFor();
        await page.keyboard.press('Tab');
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
        await page.keyboard.press('Enter');
        expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');

        await page.keyboard.press('/');
        await page.keyboard.type('tanh size_1003');
        await page.keyboard.press('Escape');
        await expect.poll(() => cases(page).getAttribute('aria-rowcount')).not.toBe('1769');
        await page.keyboard.press('j');
        await page.keyboard.press('j');
        await page.keyboard.press('k');
        const active = await page.locator('tr[aria-selected=true]').getAttribute('id');
        expect(await cases(page).getAttribute('aria-activedescendant')).toBe(active);
        const outline = await cases(page).evaluate((element) => getComputedStyle(element).outlineStyle);
        expect(outline).not.toBe('none');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: /^tanh\..*size_1003$/ }).waitFor();
        await page.keyboard.press('j'); // the next case of the list
        await page.getByText(/^2 of \d+$/).waitFor();
        await page.getByRole('button', { name: 'Copy' }).waitFor();
        await page.keyboard.press('c');
        await page.getByText('Copied').waitFor();
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
        await page.keyboard.press('Escape');
        await page.keyboard.press('o');
        await page.getByRole('heading', { name: 'Chips', level: 1 }).waitFor();
      }),
  );

  test('every stop of the Tab key is seen', () =>
    look(async (page) => {
      await page.goto('/');
      await page.getByRole('article', { name: 'demo-good' }).waitFor();
      for (let stop = 0; stop < 12; ++stop) {
        await page.keyboard.press('Tab');
        const style = await page.evaluate(() => {
          const element = document.activeElement ?? document.body;
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          return { name: element.outerHTML.slice(0, 80), outlineStyle, width: parseFloat(outlineWidth) };
        });
        expect(style, style.name).toMatchObject({ outlineStyle: 'solid' });
        expect(style.width).toBeGreaterThanOrEqual(2);
      }
    }));
});

const PAGES: [string, () => string][] = [
  ['overview', () => '/'],
  ['chip', () => '/chips/demo-faulty'],
  ['runs', () => '/runs'],
  ['run', () => `/runs/${demo.faulty}`],
  ['run-failures', () => `/runs/${demo.faulty}?outcome=failed&sort=-max_z`],
  ['case-fail', () => `/runs/${demo.faultyAgain}/cases/${FAILING}`],
  ['case-crash', () => `/runs/${demo.faulty}/cases/tanh.float32.size_1003`],
  ['case-pass', () => `/runs/${demo.good}/cases/softmax.float32.row_1025`],
  ['compare', () => `/compare?a=${demo.before}&b=${demo.faulty}`],
  ['coverage', () => '/coverage'],
  ['unknown', () => '/runs/none'],
];

// The page is loaded once for each device; the window's width and the colours change in place.
describe.each([
  ['desk', { width: 1360, height: 900 }, { light: 1360, dark: 1360, narrowed: 360 }],
  ['phone', { width: 360, height: 800, touch: true }, { phone: 360, 'phone-dark': 390 }],
])('%s', (_, options, widths) => {
  test.each(PAGES)('%s: nothing sticks out, and screenshots', async (page, path) => {
    const seen = await visit(browser, { origin: demo.server.origin, ...options });
    const tab = seen.page;
    await tab.goto(path());
    await tab.waitForLoadState('networkidle');
    await tab.locator('h1').waitFor();
    await expect.poll(() => tab.locator('[aria-busy]').count()).toBe(0);
    expect(await tab.getByRole('alert').count()).toBe(page === 'unknown' ? 1 : 0);
    for (const [name, width] of Object.entries(widths)) {
      await tab.emulateMedia({ colorScheme: name.endsWith('dark') ? 'dark' : 'light' });
      await tab.setViewportSize({ width, height: options.height });
      await expect.poll(() => overflow(tab), { message: name }).toBe(0); // charts follow a frame later
      await tab.screenshot({ path: join(SHOTS, `${page}-${name}.png`), fullPage: page.startsWith('case') });
    }
    expect(seen.elsewhere).toEqual([]);
    await seen.context.close();
  });
});

test('the theme can be chosen, and is remembered', () =>
  look(async (page) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto('/');
    const light = await ground();
    await page.getByRole('button', { name: /^Theme: auto/ }).click();
    await page.getByRole('button', { name: /^Theme: light/ }).click();
    await expect.poll(ground).not.toBe(light);
    const dark = await ground();
    await page.reload();
    await page.getByRole('button', { name: /^Theme: dark/ }).waitFor();
    expect(await ground()).toBe(dark);
  }));

test.each(['en', 'zh'])('the evaluation report (%s) fits a phone', async (lang) => {
  const report = join(demo.folder.path, `report.${lang}.html`);
  const words = [program('diopi-cli'), 'evaluate', '--data', demo.data, '--run', demo.faulty, '--lang', lang];
  await mustRun([...words, '--reference-run', demo.good, '--output', report]);
  const { page, context } = await visit(browser, { origin: demo.server.origin, width: 360 });
  await page.goto(`file://${report}`);
  await page.locator('svg.histograms').first().waitFor();
  expect(await overflow(page)).toBe(0);
  await context.close();
});
