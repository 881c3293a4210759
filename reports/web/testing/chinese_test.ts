// Every kind of page in Chinese, with real data: no run of English words that somebody else did not write.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, look } from './browser';
import { DemoData } from './demo_data';
import { BUILD, CPU, mustRun, program, scaledModels, vendor } from './programs';

const demo = new DemoData();
let browser: Browser;
let operators: RegExp; // names of operators, one after the other

beforeAll(async () => {
  [browser] = await Promise.all([launch(), demo.make()]);
  await addRuns();
  const listed = await mustRun([program('diopi-cli'), 'list', 'operators']);
  const name = `(?:${listed.match(/^\w+/gm)?.join('|')})`;
  operators = new RegExp(`\\b${name}(, ${name})+\\b`, 'g');
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await demo.remove();
});

// What the demonstration's runs lack: captures, models, measured times, explorations, crashes and hangs.
async function addRuns(): Promise<void> {
  const { server, folder, data } = demo;
  mkdirSync(join(data, 'captures'), { recursive: true });
  await mustRun(
    [join(BUILD, 'tools/tap_host'), join(BUILD, 'lib/libdiopi_tap.so'), 'transformer', '1', '9', '2'],
    [0],
    {
      DIOPI_TAP_IMPL: CPU,
      DIOPI_TAP_CAPTURE: join(data, 'captures/step'),
      DIOPI_TAP_EVERY_CALL: '1',
      OP_CAPTURE_LIST: 'softmax,gelu',
    },
  );
  await mustRun([program('diopi-cli'), 'gen', '--quiet', '--data', data, ...scaledModels('crnn')]);
  const faulty = vendor('libdiopi_faulty');
  await server.testLibrary(faulty, 'models', folder.path, scaledModels('crnn'));
  await server.testLibrary(CPU, 'fast', folder.path, ['--fname', 'add,relu', '--performance']);
  const some = ['--fname', 'add,relu', '--suite', 'smoke', '--timeout-s', '1'];
  for (const name of ['vendor_hang', 'vendor_throws', 'vendor_leak', 'vendor_exit', 'vendor_past_end'])
    await server.testLibrary(vendor(name), name, folder.path, some);
  const explore = ['--chip', 'demo-faulty', '--report-dir', folder.path, '--seed', '7', '--fname', 'add,exp'];
  await mustRun(
    [program('diopi-agent'), '--server', server.address, '--impl', faulty, ...explore, '--explore', '64'],
    [0, 1],
  );
}

// Of the page, those that only appear when pointed at included. Code, and what is marked as English, is others' text.
const texts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const others =
      'script, style, noscript, code, pre, option, .mono, .path, [lang="en"], .labels, .chip-name';
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (parentElement && !parentElement.closest(others)) found.push(textContent ?? '');
    }
    const attributes = ['title', 'aria-label', 'placeholder', 'data-tip'];
    for (const element of document.querySelectorAll(attributes.map((name) => `[${name}]`).join()))
      for (const name of attributes) found.push(element.getAttribute(name) ?? '');
    return found;
  });

// Shows another page without loading the program again. The one in between removes what the page before has loaded.
const show = (page: Page, path: string): Promise<void> =>
  page.evaluate(async (target) => {
    for (const place of ['/nowhere', target]) {
      history.pushState(null, '', place);
      dispatchEvent(new PopStateEvent('popstate'));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
  }, path);

// Names: of outcomes and columns, of programs, the libraries' own words, of what the machine is.
const NAMES =
  /\b(not implemented|unsupported dtype|harness error|max ulp|max abs|max rel|max z|rms z|diopi-\w+|GNU Linux|hdf5|the accelerator is on fire)\b/gi;
// Three words beside each other, of which no more than one is a name in capitals or digits.
const ENGLISH = /[A-Za-z]?[a-z']+[ ,]+[a-z']{2,}[ ,]+[a-z']{2,}/;

// The kinds of pages by their paths, and how many of a kind are visited.
const kindOf = (url: URL) =>
  url.pathname.replace(/\/(runs|chips|captures|cases)\/[^/]+/g, '/$1/_') + url.search.replace(/=[^&]*/g, '');
const most = (kind: string) => (kind === '/runs/_/cases/_' ? 30 : kind.includes('operator') ? 2 : 9);

test(
  'no page has an English sentence',
  () =>
    look(
      browser,
      async (page) => {
        const seen = new Map<string, number>();
        const found = new Map<string, string>();
        const same = `/compare?a=${demo.faulty}&b=${demo.faultyAgain}`;
        const waiting = new Set(['/', `/compare?a=${demo.before}&b=${demo.faulty}`, same]);
        const asked = new Set<Request>();
        page.on('request', (request) => request.resourceType() !== 'eventsource' && asked.add(request));
        page.on('requestfinished', (request) => asked.delete(request));
        page.on('requestfailed', (request) => asked.delete(request)); // a page that is left gives up its own
        await page.goto('/');
        for (const path of waiting) {
          await show(page, path);
          let quiet = 0; // times in a row that nothing was loading: what has come may ask for more
          const loading = async () => asked.size + (await page.locator('[aria-busy]').count());
          await expect
            .poll(async () => (quiet = (await loading()) > 0 ? 0 : quiet + 1), { timeout: 40_000 })
            .toBeGreaterThan(2);
          for (const text of await texts(page))
            if (ENGLISH.test(text.replace(NAMES, '').replace(operators, '')) && !found.has(text))
              found.set(text, path);
          const links = await page.evaluate(() => [...document.querySelectorAll('a')].map((a) => a.href));
          for (const url of links.map((link) => new URL(link))) {
            const next = url.pathname + url.search;
            const outside = url.origin !== demo.server.origin || /^\/(docs|api)/.test(next);
            if (outside || waiting.has(next)) continue;
            const kind = kindOf(url);
            seen.set(kind, (seen.get(kind) ?? 0) + 1);
            if ((seen.get(kind) ?? 0) <= most(kind)) waiting.add(next);
          }
        }
        for (const kind of [
          '/chips/_',
          '/runs/_/cases/_',
          '/runs/_?view',
          '/captures/_',
          '/models',
          '/coverage',
        ])
          expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0);
        expect(Object.fromEntries(found)).toEqual({});
      },
      { origin: demo.server.origin, locale: 'zh-CN' },
    ),
  600_000,
);
