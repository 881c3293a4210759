// A run in progress, held at a gate inside the library and released case by case: the page follows
// it.
import { spawn, type ChildProcess } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, visit } from './browser';
import { mustRun, program, Server, TempFolder, vendor } from './programs';

const SELECTION = ['--fname', 'diopiRelu', '--case', 'relu.float32.*'];
const folder = new TempFolder();
const gate = join(folder.path, 'gate');
let browser: Browser;
let server: Server;
let agent: ChildProcess | undefined;

// Returns once the library has reached the gate and was released.
async function letOn(): Promise<void> {
  await (await open(gate, 'w')).close();
}

beforeAll(async () => {
  const data = join(folder.path, 'data');
  await mustRun(['mkfifo', gate]);
  await mustRun([program('diopi-cli'), 'gen', '--quiet', '--data', data, ...SELECTION]);
  [browser, server] = await Promise.all([launch(), Server.start(data)]);
});
afterAll(async () => {
  agent?.kill('SIGKILL');
  await browser?.close();
  await server?.stop();
  folder.remove();
});

test('the bar moves with each verdict, and the page knows when the run is over', async () => {
  const words = server.agentWords(vendor('vendor_gate'), 'gated', folder.path, [
    ...SELECTION,
    '--timeout-s',
    '600',
  ]);
  const [command = '', ...args] = words;
  agent = spawn(command, args, { env: { ...process.env, DIOPI_TEST_GATE: gate }, stdio: 'ignore' });
  let ended = false;
  const end = new Promise<void>((resolve) =>
    agent?.once('exit', () => {
      ended = true;
      resolve();
    }),
  );

  await letOn(); // the first case: the run is there
  const { page, complaints, elsewhere } = await visit(browser, { origin: server.origin });
  await page.goto('/');
  await page.getByText('running').first().waitFor();
  await page.getByRole('link', { name: 'last run' }).click();
  const bar = page.getByRole('progressbar', { name: 'Cases done' });
  await bar.waitFor();
  const done = async () => Number(await bar.getAttribute('aria-valuenow'));
  const total = Number(await bar.getAttribute('aria-valuemax'));
  expect(total).toBeGreaterThan(3);

  // The library is at the gate of the next case, so the page cannot show more cases.
  await expect.poll(done, { timeout: 20_000 }).toBe(1);
  for (let n = 2; n <= 3; ++n) {
    await letOn();
    await expect.poll(done, { timeout: 20_000 }).toBe(n);
    await expect
      .poll(() => page.getByRole('list', { name: 'Newest verdicts' }).locator('li').count())
      .toBe(n);
  }
  await page.getByText('time left').waitFor();

  const opened = (async () => {
    while (!ended) await Promise.race([letOn(), end]);
  })();
  await end;
  await bar.waitFor({ state: 'detached' });
  await page.getByText('finished').first().waitFor();
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: /^Cases/ })
    .click();
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(total + 1));
  expect([...complaints, ...elsewhere]).toEqual([]);
  // The last open still waits for a reader that will not come.
  const reader = await open(gate, 'r+');
  await opened;
  await reader.close();
});
