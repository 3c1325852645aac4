import type { Browser, Page } from 'playwright-core';
import type { VaultReport } from '@yield-vault/protocol';
import { zeroAddress, zeroHash } from 'viem';
import { facilitatorKey } from '@yield-vault/devnet';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import {
  appearances,
  desktop,
  listViolations,
  openPage,
  startBrowser,
  type WatchedPage,
} from '../test/support/browser.js';
import { sharedForkService } from '../test/support/devnet.js';
import { startServer, type Server } from '../test/support/start-server.js';

const steps = ['Discover', 'Fund', 'Deposit', 'Status', 'Redeem'];
const flowDeadlineMs = 120_000;

let browser: Browser;
let server: Server;
let api: ApiClient;

beforeAll(async () => {
  server = await startServer({ forkService: sharedForkService() });
  api = await createApiClient(server.url);
  browser = await startBrowser();
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Open the page and wait until everything on it has loaded. */
async function open(
  options: Parameters<typeof openPage>[2] = {},
  url = server.url,
  { ownBrowser = browser, broken = '' }: { ownBrowser?: Browser; broken?: string } = {},
): Promise<WatchedPage> {
  const opened = await openPage(ownBrowser, `${url}/`, { viewport: desktop, ...options }, broken);
  for (const part of ['.ranking', '.curve canvas', '.bars', '.steps button'])
    await opened.page.locator(part).first().waitFor();
  return opened;
}

/** Let every storage of the browser throw, as where cookies are blocked. */
const storageOff = `for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
  Object.defineProperty(globalThis, name, {
    get: () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  })`;

const canvasOff = `HTMLCanvasElement.prototype.getContext = () => {
  throw new Error('The canvas is off.');
}`;

const focused = async (page: Page) => (await page.locator(':focus').allInnerTexts())[0]?.trim();

/** Press Tab until an element with this text has the focus. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let pressed = 0; pressed < 100; pressed += 1) {
    if ((await focused(page)) === text) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${text}`);
}

const rowOf = (page: Page, name: string) => page.locator('.ranking tbody tr', { hasText: name });

const html = '<img src=x onerror=alert(1)>';
/** Facts as a hostile vault could name them, and unknown ones. */
const strange: Pick<VaultReport, 'exit' | 'fees' | 'rewards' | 'governance' | 'markets'> = {
  exit: {
    instantUsd: null,
    instantPercent: null,
    p10Usd: null,
    method: 'unknown',
    checkedAt: null,
    accrues: null,
    curve: [],
    days: [2_000_000, 1_000_000].map((instantUsd, day) => ({
      timestamp: `2026-01-0${day + 1}T00:00:00.000Z`,
      instantUsd,
    })),
  },
  fees: { performancePercent: 10, managementPercent: null, exitBps: null },
  rewards: [{ token: zeroAddress, symbol: html, apr: 1.5, endsAt: null, source: 'merkl' }],
  governance: {
    source: 'chain',
    checkedAt: null,
    admin: 'multisig',
    timelockSeconds: 172_800,
    owner: null,
    curator: null,
    guardian: null,
    safeThreshold: 2,
    safeOwners: 3,
    pendingChanges: [{ change: html, loosens: true, validAt: null }],
  },
  markets: [
    {
      marketId: zeroHash,
      sharePercent: 100,
      collateral: zeroAddress,
      collateralSymbol: html,
      lltvPercent: 86,
      oracle: null,
      utilisationPercent: 91.3,
    },
  ],
};

describe('the page at /', () => {
  it(
    'default: a reviewer takes a wallet through the whole flow, by keyboard alone',
    async () => {
      const { page, problems } = await open();
      const wallet = await page
        .locator('.lead code', { hasText: /^0x[0-9a-fA-F]{40}$/ })
        .last()
        .innerText();
      await tabTo(page, 'Discover');
      for (const [index, step] of steps.entries()) {
        const row = page.locator('.steps > li').nth(index);
        await row.getByRole('button').waitFor({ timeout: flowDeadlineMs });
        expect(await focused(page)).toBe(step);
        await page.keyboard.press('Enter');
        await row.and(page.locator('[data-state=done]')).waitFor({ timeout: flowDeadlineMs });
      }
      expect(await listViolations(page)).toEqual([]);
      expect(problems).toEqual([]);

      const { body } = await api.call('GET', `/v1/yield/intents?wallet=${wallet}`);
      const { intents } = body as { intents: readonly { state: string }[] };
      expect(intents.map(({ state }) => state)).toEqual(['confirmed', 'confirmed']);
      expect((await api.status(wallet)).positions).toEqual([]);
      const paths = (await page.locator('.steps summary code').allInnerTexts()).map(
        (text) => text.split(/[?]/)[0],
      );
      expect(paths).toEqual(
        expect.arrayContaining([
          'POST /v1/yield/discover',
          'POST /v1/testing/fund-wallet',
          'POST /v1/yield/execute',
        ]),
      );

      // The response of the second prepare is an envelope that the agent client accepts, until a byte of it changes.
      const prepares = page.locator('.steps > li:nth-child(3) details', {
        hasText: 'POST /v1/yield/prepare',
      });
      const prepared = await prepares.nth(1).locator('pre').nth(1).textContent();
      await check(page, prepared!);
      expect(await page.locator('#result').innerText()).toContain('deposit 25 USDC');
      await check(page, prepared!.replace(/"callGasLimit": "\d/, '"callGasLimit": "9'));
      expect(await page.locator('#result').innerText()).toContain('MERKLE_ROOT_MISMATCH');
      await check(page, 'null');
      expect(await page.locator('#result').innerText()).toContain('MALFORMED');
      await check(page, '{"version":');
      expect(await page.locator('#result [role=alert]').count()).toBe(1);
      expect(problems).toEqual([]);
      await page.context().close();
    },
    flowDeadlineMs + 60_000,
  );

  it('behavior: the first screen counts what a deposit earns, until the reader stops it', async () => {
    const { page } = await open();
    const [best] = (await api.discover({ chain: 'base', asset: 'USDC', limit: 1 })).vaults;
    const part = page.locator('#growth');
    expect(await part.innerText()).toContain(`${best!.name} since`);
    expect(await part.innerText()).toContain(`${best!.apy.month.toFixed(2)} %`);
    const read = async () => Number.parseFloat((await part.locator('.growth').innerText()).replace(',', ''));
    const first = await read();
    await page.waitForTimeout(2_500);
    expect(await read()).toBeGreaterThan(first);
    await part.getByRole('button', { name: 'Pause' }).press('Enter');
    const stopped = await read();
    await page.waitForTimeout(2_500);
    expect(await read()).toBe(stopped);
    expect(await page.locator('.flow li').count()).toBe(5);
    await page.context().close();

    const { page: still } = await open({ reducedMotion: 'reduce' });
    expect(await still.locator('#growth button').innerText()).toBe('Count');
    await still.context().close();
  });

  it('behavior: ranks as discover does, and sorts by a column', async () => {
    const { page, problems } = await open();
    const names = () => page.locator('.ranking tbody th a').allInnerTexts();
    const { vaults } = await api.discover({ chain: 'base', limit: 20 });
    expect(await names()).toEqual(vaults.map(({ name }) => name));

    await tabTo(page, 'TVL');
    await page.keyboard.press('Enter');
    const largestFirst = [...vaults].sort((a, b) => b.tvlUsd - a.tvlUsd).map(({ name }) => name);
    expect(await names()).toEqual(largestFirst);
    await page.keyboard.press('Enter');
    expect(await names()).toEqual(largestFirst.reverse());

    await page.getByRole('radio', { name: /Ethereum/ }).press('Space');
    const elsewhere = await api.discover({ chain: 'ethereum', limit: 1 });
    await page.locator('.ranking', { hasText: elsewhere.vaults[0]!.name }).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('behavior: a link opens the numbers of a vault, also from outside', async () => {
    const { page, problems } = await open();
    const [, second] = (await api.discover({ chain: 'base', limit: 2 })).vaults;
    await tabTo(page, second!.name);
    await page.keyboard.press('Enter');
    await page.locator('#vault-title', { hasText: second!.name }).waitFor();
    expect(await page.locator(':focus').getAttribute('id')).toBe('vault-title');
    expect(new URL(page.url()).hash).toBe(`#${second!.vaultId}`);
    const { explanation } = await api.explain(second!.vaultId);
    expect(await page.locator('.bars').first().locator('tbody tr').count()).toBe(
      explanation.risk.factors.length,
    );

    await page.reload();
    await page.locator('#vault-title', { hasText: second!.name }).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it.each(appearances)(
    'behavior: axe finds nothing, and nothing overflows (%s, %o)',
    async (colorScheme, viewport) => {
      const { page, problems } = await open({ colorScheme, viewport });
      expect(await listViolations(page)).toEqual([]);
      expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(viewport.width);
      expect(problems).toEqual([]);
      await page.context().close();
    },
  );

  it('behavior: the ranking shows what can leave a vault, and how much of its risk is known', async () => {
    const { page } = await open();
    const listed = (await api.vaults({ chain: 'base', listed: 'true', limit: '100' })).vaults;
    for (const { name, coverage } of listed)
      expect(await rowOf(page, name).innerText()).toContain(`${Math.round(coverage)} % known`);
    expect(await rowOf(page, 'Halyard USDC Credit').innerText()).toContain('$2.7M');
    await page.context().close();
  });

  it('behavior: a vault that nothing can leave is not offered, and its report says why', async () => {
    const { page, problems } = await open();
    expect(await rowOf(page, 'Icefield USDC Yield').count()).toBe(0);
    await page.locator('summary', { hasText: 'not offered' }).click();
    await page.locator('#ranking details a', { hasText: 'Icefield USDC Yield' }).click();
    await page.locator('#report .notice', { hasText: 'no-exit' }).waitFor();
    expect(await page.locator('#report').innerText()).toContain('less than 99 % at every size');
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('behavior: a report says who can change a vault, and what is unknown', async () => {
    const { page } = await openPage(browser, `${server.url}/llms.txt`);
    await page.route(/\/v1\/yield\/vaults\/\d+$/, async (route) => {
      const response = await route.fetch();
      const report = (await response.json()) as VaultReport;
      await route.fulfill({ response, json: { ...report, ...strange } });
    });
    await page.goto(`${server.url}/`);
    const shown = page.locator('#report');
    await shown.locator('.bars').first().waitFor();
    const facts = (await shown.locator('.facts').allInnerTexts()).join('\n').split('\n');
    const valueOf = (name: string) => facts[facts.indexOf(name) + 1];
    expect(['Admin', 'Timelock', 'Redeemable now', 'Of a redeem', 'Owner'].map(valueOf)).toEqual([
      'multisig, Safe 2 of 3',
      '2 days',
      'unknown',
      'unknown',
      'none or unknown',
    ]);
    expect(valueOf('Pending changes')).toContain(`${html}, riskier`);
    expect(valueOf('Rewards besides the APY')).toContain(`1.50 % in ${html}`);
    expect(await shown.locator('table', { hasText: 'Collateral' }).innerText()).toContain(html);
    expect(await shown.locator('figcaption', { hasText: 'Lowest exit' }).innerText()).toContain('$1.0M now');
    expect(await page.locator('img').count()).toBe(0);
    expect(await listViolations(page)).toEqual([]);
    await page.context().close();
  });

  it('behavior: a quote says whether an amount stays or moves', async () => {
    const { page } = await open();
    const [, second] = (await api.discover({ chain: 'base', limit: 2 })).vaults;
    await page.locator('.ranking a', { hasText: second!.name }).click();
    await page.locator('#vault-title', { hasText: second!.name }).waitFor();
    const ask = page.getByRole('button', { name: 'Stay or move?' });
    await ask.press('Enter');
    const rows = page.locator('#report tbody tr', { has: page.locator('th', { hasText: second!.name }) });
    await rows.first().waitFor();
    expect(await rows.first().innerText()).toContain('(now)');
    expect(await page.locator('#report .notice strong').innerText()).toMatch(/^(Stay|Move to .+)\.$/);

    await page.getByLabel('Amount').fill('x');
    await ask.press('Enter');
    expect(await page.locator('#report [role=alert]').innerText()).toContain('amount');
    await page.context().close();
  });

  it('attack: a vault whose name is HTML', async () => {
    const { page, problems } = await open();
    await page.route('**/v1/yield/vaults?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { vaults: object[] };
      const vaults = body.vaults.map((vault) => ({ ...vault, name: html }));
      await route.fulfill({ response, json: { ...body, vaults } });
    });
    await page.getByRole('radio', { name: 'Minimize risk' }).press('Space');
    await page.locator('.ranking', { hasText: html }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('error: a failed request says so, and can be repeated', async () => {
    const { page } = await openPage(browser, `${server.url}/docs`);
    await page.route('**/v1/yield/vaults?*', (route) => route.abort());
    await page.goto(`${server.url}/`);
    await page.locator('#ranking [role=alert]').waitFor();
    await page.unroute('**/v1/yield/vaults?*');
    await page.locator('#ranking button').click();
    await page.locator('.ranking').waitFor();
    await page.context().close();
  });

  it.each([
    ['whose language is no valid tag, as in a container', { LANG: 'C.UTF-8', LC_ALL: '', LANGUAGE: '' }, ''],
    ['with storage off', {}, storageOff],
  ])('behavior: everything works in a browser %s', async (_, env, broken) => {
    const ownBrowser = await startBrowser(env);
    try {
      const { page, problems } = await open({}, server.url, { ownBrowser, broken });
      const language = await (await ownBrowser.newPage()).evaluate('navigator.language');
      if (broken === '') expect(() => new Intl.Locale(String(language))).toThrow(RangeError);
      await page.locator('.steps button').click();
      await page.locator('.steps > li[data-state=done]').waitFor({ timeout: flowDeadlineMs });
      await check(page, 'null');
      expect(await page.locator('#result').innerText()).toContain('MALFORMED');
      expect(await page.locator('#state').innerText()).toContain('version');
      expect(problems).toEqual([]);
    } finally {
      await ownBrowser.close();
    }
  });

  it.each([
    ['The charts', '**/curves-*.js', '.history', ['.ranking', '.bars', '.steps button']],
    ['The check', '**/verifier-*.js', '#result', ['.ranking', '.curve canvas', '.bars', '.steps button']],
    ['The flow', '**/flow.js', '#reviewer', ['.ranking', '.curve canvas', '.bars']],
  ])('error: %s cannot load: its place says so, the rest works', async (name, file, place, rest) => {
    const { page } = await openPage(browser, `${server.url}/llms.txt`);
    await page.route(file, (route) => route.abort());
    await page.goto(`${server.url}/`);
    await page.locator('#verifier button').press('Enter');
    expect(await page.locator(`${place} [role=alert]`).innerText()).toContain(`${name} could not load.`);
    for (const part of rest) await page.locator(part).first().waitFor();
    await page.context().close();
  });

  it('error: a chart that throws says so, and the rest works', async () => {
    const { page } = await openPage(browser, `${server.url}/`, {}, canvasOff);
    expect(await page.locator('.history [role=alert]').innerText()).toContain('The charts could not load.');
    for (const part of ['.ranking', '.bars', '.steps button']) await page.locator(part).first().waitFor();
    await page.context().close();
  });

  it('error: the page says so when its script does not start', async () => {
    const { page } = await openPage(browser, `${server.url}/llms.txt`);
    await page.route('**/page.js', (route) => route.abort());
    await page.goto(`${server.url}/`);
    await page.locator('#stopped').waitFor({ state: 'visible' });
    await page.context().close();
  });

  it('error: the flow says that the deployment takes payments, and the rest works', async () => {
    const paid = await startServer({
      forkService: sharedForkService(),
      env: { PAYMENTS: 'on', FACILITATOR_PRIVATE_KEY: facilitatorKey },
    });
    try {
      const { page } = await open({}, paid.url);
      await page.locator('.steps button').click();
      expect(await page.locator('.steps [role=alert]').innerText()).toContain('payment');
      expect(await page.locator('#state').innerText()).toContain('x402');
      await page.context().close();
    } finally {
      await paid.stop();
    }
  });
});

describe('Swagger UI at /docs', () => {
  it('default: sends the first example of an operation, and loads nothing from another host', async () => {
    const { page, problems } = await openPage(browser, `${server.url}/docs`);
    for (const id of [
      'discover',
      'explainVault',
      'prepare',
      'status',
      'history',
      'fundWallet',
      'forkStatus',
    ]) {
      const operation = page.locator(`.opblock[id$="-${id}"]`);
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      const status = operation.locator('.live-responses-table .response .response-col_status');
      expect([id, await status.first().innerText()]).toEqual([id, expect.stringMatching(/^200/)]);
      await operation.locator('.opblock-summary-control').click();
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

async function check(page: Page, text: string): Promise<void> {
  await page.locator('#result').evaluate((result) => result.replaceChildren());
  await page.locator('#envelope').fill(text);
  await page.locator('#verifier button').press('Enter');
  await page.locator('#result .notice').waitFor();
}
