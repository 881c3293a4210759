// The page in the reader's language: the browser's at first, then the chosen one, with made-up answers.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, look as lookWith, overflow, type VisitOptions } from './browser';
import { serveFixture, type FixtureServer } from './fixture_server';
import { BUILD } from './programs';

const SHOTS = process.env['DIOPI_SCREENSHOTS'] ?? join(BUILD, 'screenshots');
let browser: Browser;
let server: FixtureServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), serveFixture(12_000)]);
  mkdirSync(SHOTS, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

const look = (body: (page: Page) => Promise<void>, options: Partial<VisitOptions> = {}): Promise<void> =>
  lookWith(browser, body, { origin: server.origin, ...options });

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
const lang = (page: Page) => page.evaluate(() => document.documentElement.lang);

test.each([
  ['zh-CN', 'zh-CN', '运行'],
  ['zh-TW', 'zh-CN', '运行'],
  ['en-US', 'en', 'Runs'],
  ['de-DE', 'en', 'Runs'],
])('a browser in %s sees the page in %s', (locale, tag, heading) =>
  look(
    async (page) => {
      await page.goto('/runs');
      await title(page, heading);
      expect(await lang(page)).toBe(tag);
      expect(await page.title()).toContain(heading);
    },
    { locale },
  ),
);

test('the switch changes texts, numbers and dates at once, and stays', () =>
  look(async (page) => {
    await page.goto('/runs/large?view=cases&outcome=fail');
    await page.getByRole('columnheader', { name: 'Reason' }).waitFor();
    const status = page.getByRole('status').filter({ hasText: '12' });
    expect(await status.innerText()).toMatch(/of 12,000 cases$/);
    await page.getByRole('button', { name: /^Language: English/ }).click();
    await page.getByRole('columnheader', { name: '理由' }).waitFor();
    expect(await status.innerText()).toMatch(/ 12,000 个用例$/);
    expect(await page.locator('time').first().innerText()).toMatch(/^\d{4}年\d+月\d+日 \d\d:\d\d$/);
    await page.getByRole('columnheader', { name: 'max z' }).getByRole('button').hover();
    const tip = page.getByRole('tooltip');
    await tip.getByText('舍入噪声').waitFor();
    expect(await tip.getByRole('link').getAttribute('href')).toBe('/docs/zh/outcomes.html#max-z');
    // An outcome keeps its name; what it means is translated.
    await page.locator('[title^="fail: 数值"]').first().waitFor();

    await page.reload();
    await page.getByRole('columnheader', { name: '理由' }).waitFor();
    await page.keyboard.press('o');
    await title(page, '芯片');
    await page.getByRole('button', { name: /^语言/ }).click();
    await title(page, 'Chips');
  }));

test.each([
  ['light', { dark: false, width: 1360, height: 900 }],
  ['dark', { dark: true, width: 1360, height: 900 }],
  ['phone', { dark: false, width: 360, height: 780, touch: true }],
])('in Chinese, %s: nothing sticks out, and screenshots', (name, options) =>
  look(
    async (page) => {
      for (const [shot, path] of [
        ['overview', '/'],
        ['chip', '/chips/fixture'],
        ['run', '/runs/large'],
        ['cases', '/runs/large?view=cases&outcome=failed'],
        ['case', '/runs/large/cases/add.float16.point_00097'],
      ]) {
        await page.goto(path ?? '');
        await page.waitForLoadState('networkidle');
        await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0);
        expect(await overflow(page), shot).toBe(0);
        await page.screenshot({ path: join(SHOTS, `zh-${shot}-${name}.png`), fullPage: shot === 'case' });
      }
    },
    { ...options, locale: 'zh-CN' },
  ),
);
