import type { Browser } from 'playwright-core';
import { appearances, desktop, listViolations, openPage, startBrowser } from '../test/support/browser.js';
import { sharedServer } from '../test/support/devnet.js';

const origin = sharedServer('default');
const site = `${origin}/guides/`;

let browser: Browser;

beforeAll(async () => {
  // The language of a container is no valid tag.
  browser = await startBrowser({ LANG: 'C.UTF-8', LC_ALL: '', LANGUAGE: '' });
});
afterAll(async () => {
  await browser?.close();
});

/** The links of a page, and its anchors. */
async function readPage(url: string) {
  const response = await fetch(url);
  const html = response.headers.get('content-type')?.startsWith('text/html') ? await response.text() : '';
  const valuesOf = (pattern: RegExp) =>
    [...html.matchAll(pattern)].map(([, value]) => value!.replaceAll('&amp;', '&'));
  return {
    status: response.status,
    links: valuesOf(/<(?:a|link|script)\b[^>]* (?:href|src)="([^"]+)"/g).map((link) => new URL(link, url)),
    ids: valuesOf(/ id="([^"]+)"/g),
  };
}

describe('the site at /guides/', () => {
  it('default: a search without the network finds a guide, by keyboard alone', async () => {
    const { page, problems } = await openPage(browser, site, { viewport: desktop });
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('/');
    await page.locator('.VPLocalSearchBox input:focus').waitFor();
    await page.keyboard.type('gasless setup');
    await page.locator('.VPLocalSearchBox .result', { hasText: 'The gasless setup' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/guides\/[\w-]+\.html#/);
    expect((await page.locator('h1').innerText()).length).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('behavior: every link of the pages leads to a page and a heading', async () => {
    const pages = new Map<string, Awaited<ReturnType<typeof readPage>>>();
    const waiting = [`${origin}/`, site];
    const hosts = new Set<string>();
    const dead: string[] = [];
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      if (pages.has(url)) continue;
      const read = await readPage(url);
      pages.set(url, read);
      if (read.status !== 200) dead.push(url);
      // Swagger UI makes its own links.
      if (url.startsWith(`${origin}/docs`)) continue;
      for (const { origin: host, pathname, protocol } of read.links)
        if (host === origin) waiting.push(`${host}${pathname}`);
        else if (protocol.startsWith('http')) hosts.add(host);
    }
    for (const [from, { links }] of pages)
      for (const { origin: host, pathname, hash } of links)
        if (host === origin && pathname.startsWith('/guides/') && hash !== '')
          if (!pages.get(`${host}${pathname}`)!.ids.includes(decodeURIComponent(hash.slice(1))))
            dead.push(`${from} to ${pathname}${hash}`);
    expect(dead).toEqual([]);
    expect(pages.size).toBeGreaterThan(70);
    console.log('Hosts of external links:', [...hosts].sort().join(' '));
    expect(hosts).toContain('https://github.com');
  });

  it('behavior: llms.txt links each guide as Markdown, whose links work too', async () => {
    const text = await (await fetch(`${origin}/llms.txt`)).text();
    const guides = [...text.matchAll(/\]\((\/guides\/[\w-]+\.md)\)/g)].map(([, path]) => path!);
    expect(guides).toEqual(
      expect.arrayContaining(['/guides/rest.md', '/guides/mcp.md', '/guides/protocol.md']),
    );
    for (const path of guides) {
      const response = await fetch(`${origin}${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toMatch(/^text\/markdown; charset=utf-8$/i);
      const links = [...(await response.text()).matchAll(/\]\((?!https?:|#)([^)\s]+)\)/g)];
      for (const [, link] of links)
        expect([link, (await fetch(new URL(link!, `${origin}${path}`))).status]).toEqual([link, 200]);
    }
  });

  it.each(appearances)(
    'behavior: axe finds nothing, and nothing overflows (%s, %o)',
    async (colorScheme, viewport) => {
      for (const name of ['', 'signing.html', 'errors.html']) {
        const { page, problems } = await openPage(browser, `${site}${name}`, { colorScheme, viewport });
        await page.waitForLoadState('networkidle');
        expect([name, await listViolations(page)]).toEqual([name, []]);
        expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(viewport.width);
        expect(problems).toEqual([]);
        await page.context().close();
      }
    },
  );
});
