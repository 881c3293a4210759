// A server that requires tokens: the page asks the reader for a token, and keeps it where no other
// site can use it.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, visit } from './browser';
import { mustRun, program, Server, TempFolder } from './programs';

const folder = new TempFolder();
let browser: Browser;
let server: Server;
let token = '';

beforeAll(async () => {
  const data = join(folder.path, 'data');
  const words = ['token', 'add', '--data', data, '--name', 'reader', '--role', 'read'];
  token = (await mustRun([program('diopi-server'), ...words])).trim();
  [browser, server] = await Promise.all([launch(), Server.start(data)]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  folder.remove();
});

test('a wrong token is refused in words, the right one opens the page and stays', async () => {
  const { page, context } = await visit(browser, { origin: server.origin });
  await page.goto('/');
  await page.getByRole('heading', { name: 'This server requires a token' }).waitFor();
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('heading', { name: 'This server requires a token' }).waitFor();

  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByText('No run yet').waitFor();
  const cookies = await context.cookies();
  expect(cookies).toMatchObject([{ name: 'diopi_token', sameSite: 'Strict', path: '/' }]);
  await page.reload();
  await page.getByText('No run yet').waitFor();
});
