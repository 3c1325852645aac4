import { existsSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** Where a Chromium may be installed; npm carries one for Linux on x64 alone. */
const installed = [
  process.env['CHROMIUM_PATH'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
];

/** Start headless Chromium. Its language follows the environment, which `env` may change. */
export async function startBrowser(env: Readonly<Record<string, string>> = {}): Promise<Browser> {
  const options = { env: { ...process.env, ...env } as Record<string, string> };
  if (process.platform === 'linux' && process.arch === 'x64') {
    const executablePath = await sparticuz.executablePath();
    return chromium.launch({ ...options, executablePath, args: ['--no-sandbox'] });
  }
  const executablePath = installed.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined)
    throw new Error('No browser was found. Install Google Chrome, or set CHROMIUM_PATH to a Chromium.');
  return chromium.launch({ ...options, executablePath });
}

export const desktop = { width: 1280, height: 900 };
const phone = { width: 360, height: 760 };

/** What every page must look right in. */
export const appearances = [
  ['light', desktop],
  ['dark', desktop],
  ['light', phone],
  ['dark', phone],
] as const;

/** A page, and everything that went wrong on it: errors, failed requests, requests to another host. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: readonly string[];
}

/**
 * Open a page of a server.
 *
 * @param broken - script that runs before those of the page, and takes something from it
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  broken = '',
): Promise<WatchedPage> {
  const page = await (await browser.newContext(options)).newPage();
  if (broken !== '') await page.addInitScript(broken);
  const problems: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(url).origin)
      problems.push(`another host: ${request.url()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (line) => line.type() === 'error' && problems.push(`console: ${line.text()}`));
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  await page.goto(url);
  return { page, problems };
}

/** Run axe, whose script the page itself could not load. */
export async function listViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
