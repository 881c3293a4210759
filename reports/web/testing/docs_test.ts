// The documentation's site as the server shows it, on a phone: every page is reached from the first by links, none scrolls
// sideways, links and their anchors exist, also the dashboards', and copy buttons copy commands.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docsHref, moreHref, outcomeHref } from '../src/lib/docs';
import { CATALOGUES, setLanguage } from '../src/lib/i18n';
import { OUTCOME_ORDER } from '../src/lib/outcomes';
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

interface Block {
  language: string;
  shown: string;
  copied: string;
}

// Presses every copy button.
async function blocksOf(page: Page): Promise<Block[]> {
  await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
  return page.evaluate(() => {
    let copied = '';
    navigator.clipboard.writeText = (text) => Promise.resolve(void (copied = text));
    return [...document.querySelectorAll<HTMLElement>('button.copy')].map((button) => {
      button.click();
      const language = /language-(\w*)/.exec(button.parentElement?.className ?? '')?.[1] ?? '';
      return { language, shown: button.parentElement?.querySelector('pre')?.textContent ?? '', copied };
    });
  });
}

function parses(commands: string): boolean {
  try {
    execFileSync('bash', ['-n'], { input: commands, stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

function check({ language, shown, copied }: Block): void {
  const prompts = shown.split('\n').filter((line) => line.startsWith('$ '));
  const commands = prompts.map((line) => (line.slice(2).split('  # ')[0] ?? '').trimEnd());
  expect(copied.trim()).toBe((prompts.length > 0 ? commands.join('\n') : shown).trim());
  expect(copied).not.toMatch(/^\s*\$ /m);
  if (['console', 'example', 'sh'].includes(language)) expect(copied).toSatisfy(parses);
}

// All links of the dashboards to the documentation.
function dashboardLinks(): string[] {
  return (['en', 'zh'] as const).flatMap((language) => {
    setLanguage(language);
    const more = Object.values(CATALOGUES[language]).flatMap((text) => moreHref(text) ?? []);
    return [docsHref(), docsHref('outcomes.html'), ...OUTCOME_ORDER.map(outcomeHref), ...more];
  });
}

test.skipIf(!built)(
  'every page of the documentation, its links and its blocks',
  { timeout: 300_000 },
  async () => {
    const { page, complaints } = await visit(browser, { origin: server.origin, width: 360 });
    const pages = new Set(['/docs/en/', '/docs/zh/']);
    const links = new Set(dashboardLinks());
    const places = new Set<string>(); // pages, and their anchors
    const wide: string[] = [];
    let blocks = 0;
    expect(links.size).toBeGreaterThan(60);
    for (const path of pages) {
      if ((await page.goto(path))?.status() !== 200) continue;
      places.add(path);
      if ((await overflow(page)) > 0) wide.push(path);
      const [ids, hrefs] = await page.evaluate(() => [
        [...document.querySelectorAll('[id]')].map((element) => element.id),
        [...document.querySelectorAll('a')].map((a) => a.href),
      ]);
      for (const id of ids ?? []) places.add(`${path}#${id}`);
      for (const { origin, pathname, hash } of (hrefs ?? []).map((link) => new URL(link))) {
        if (origin !== server.origin || !pathname.startsWith('/docs/')) continue;
        pages.add(pathname);
        links.add(pathname + decodeURIComponent(hash));
      }
      for (const block of await blocksOf(page)) {
        check(block);
        ++blocks;
      }
    }
    expect(wide).toEqual([]);
    expect([...links].filter((link) => !places.has(link))).toEqual([]);
    expect(blocks).toBeGreaterThan(90);
    for (const path of ['/docs/method.html', '/docs/bring-a-gpu.html', '/docs/zh/labs.html'])
      expect(pages).toContain(path);
    await page.goto('/docs/en/outcomes#max-z'); // without .html
    await page.getByRole('heading', { name: 'max z' }).waitFor();
    expect(complaints).toEqual([]);
  },
);
