// The documentation's site as the server shows it, on a phone: every page is reached from the first by links, and none
// scrolls sideways.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, overflow, visit } from './browser';
import { BUILD, Server, TempFolder } from './programs';

const SITE = join(BUILD, 'share/diopi/docs.tar');
// Left out of a build without a network: absent or empty.
const built = (statSync(SITE, { throwIfNoEntry: false })?.size ?? 0) > 0;
const folder = new TempFolder();
let browser: Browser;
let server: Server;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), Server.start(join(folder.path, 'data'))]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

test.skipIf(!built)('every page of the documentation fits a phone', async () => {
  const { page, complaints } = await visit(browser, { origin: server.origin, width: 360 });
  const pages = new Set(['/docs/en/', '/docs/zh/']);
  const wide: string[] = [];
  for (const path of pages) {
    await page.goto(path);
    if ((await overflow(page)) > 0) wide.push(path);
    const links = await page.evaluate(() => [...document.querySelectorAll('a')].map((a) => a.href));
    for (const { origin, pathname } of links.map((link) => new URL(link)))
      if (origin === server.origin && pathname.startsWith('/docs/')) pages.add(pathname);
  }
  expect(wide).toEqual([]);
  expect(complaints).toEqual([]);
  for (const path of ['/docs/method.html', '/docs/bring-a-gpu.html', '/docs/zh/labs.html'])
    expect(pages).toContain(path);
});
