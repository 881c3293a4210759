// Debian's Chromium, driven by playwright-core. Requests to any other server than the tested one
// are recorded.
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';

export const CHROMIUM = process.env['DIOPI_CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

export async function launch(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`no browser at ${CHROMIUM}: set DIOPI_CHROMIUM`);
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'],
  });
}

export interface Visit {
  context: BrowserContext;
  page: Page;
  elsewhere: string[]; // addresses that were asked for on other hosts
  complaints: string[]; // errors of the page and of the browser's console
}

export interface VisitOptions {
  origin: string;
  width?: number;
  height?: number;
  dark?: boolean;
  touch?: boolean;
  locale?: string; // the browser's language
}

export async function visit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: options.origin,
    viewport: { width: options.width ?? 1360, height: options.height ?? 860 },
    colorScheme: options.dark ? 'dark' : 'light',
    hasTouch: options.touch ?? false,
    permissions: ['clipboard-read', 'clipboard-write'],
    timezoneId: 'UTC',
    locale: options.locale ?? 'en-GB',
  });
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== options.origin) elsewhere.push(request.url());
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.setDefaultTimeout(20_000);
  return { context, page, elsewhere, complaints };
}

// Visits in a browser of its own context; the page must not complain, nor ask other hosts for anything.
export async function look(
  browser: Browser,
  body: (page: Page) => Promise<void>,
  options: VisitOptions,
): Promise<void> {
  const { page, context, complaints, elsewhere } = await visit(browser, options);
  await body(page);
  expect(elsewhere).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
}

// How far the document is wider than the window: 0, or the page scrolls sideways.
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

// Simulates a busy machine: frames and short timers come late, which shows what waits for them.
export const lateFrames = (page: Page): Promise<void> =>
  page.addInitScript(() => {
    const [frame, timer] = [requestAnimationFrame.bind(window), setTimeout.bind(window)];
    window.requestAnimationFrame = (callback) => frame(() => timer(() => callback(performance.now()), 500));
    window.setTimeout = ((callback: () => void, delay = 0) =>
      timer(callback, Math.max(delay, 500))) as typeof setTimeout;
  });
