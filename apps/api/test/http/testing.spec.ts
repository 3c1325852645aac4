import {
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  FundingFailedError,
  TestingCapExceededError,
  WalletNotAllowedError,
} from '@yield-vault/protocol';
import type { OpenAPIObject } from '@nestjs/swagger';
import { examples } from '../../src/openapi/examples.js';
import type { Features } from '../../src/ports.js';
import { buildForkStatusResponse, buildFundWalletResponse } from '../support/build-responses.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError, expectViolations } from '../support/expect-error.js';
import { fakeFeatures } from '../support/fake-features.js';
import { startServer, type TestServer } from '../support/start-server.js';

const fundWallet = '/v1/testing/fund-wallet';
const forkStatus = '/v1/testing/fork-status';
const walletAddress = examples.testWallet;
const buildFunding = (overrides: object = {}) => ({
  chain: 'base',
  walletAddress,
  ethWei: '1',
  usdcAmount: '2',
  ...overrides,
});
const forks = (overrides: Partial<Features['forks']>): Partial<Features> => ({
  forks: { ...fakeFeatures().features.forks, ...overrides },
});

let server: TestServer;
afterEach(() => server.close());

describe('POST /v1/testing/fund-wallet', () => {
  beforeEach(async () => {
    server = await startServer();
  });

  it('default: hands the request on and responds with the balances', async () => {
    const response = await server.post(fundWallet, buildFunding());
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(buildFundWalletResponse());
    expect(server.calls.fundWallet).toEqual([buildFunding()]);
  });

  it.each([
    ['ETH alone', { usdcAmount: undefined }],
    ['USDC alone', { ethWei: undefined }],
    ['nothing of one', { ethWei: '0' }],
    ['leading zeros', { ethWei: '007' }],
    ['the other chain', { chain: 'ethereum' }],
    ['more digits than a word holds, which the caps are for', { ethWei: '9'.repeat(100) }],
  ])('behavior: accepts %s', async (_name, overrides) => {
    const body = JSON.parse(JSON.stringify(buildFunding(overrides))) as object;
    expect((await server.post(fundWallet, body)).statusCode).toBe(200);
    expect(server.calls.fundWallet).toEqual([body]);
  });

  it('behavior: the wallet is passed on in EIP-55 form, from any case', async () => {
    for (const text of [walletAddress.toLowerCase(), `0x${walletAddress.slice(2).toUpperCase()}`]) {
      await server.post(fundWallet, buildFunding({ walletAddress: text }));
    }
    expect(server.calls.fundWallet.map((request) => request.walletAddress)).toEqual([
      walletAddress,
      walletAddress,
    ]);
  });

  it.each([
    ['no chain', { chain: undefined }, 'chain'],
    ['a chain null', { chain: null }, 'chain'],
    ['a chain as a number', { chain: 8453 }, 'chain'],
    ['no wallet', { walletAddress: undefined }, 'walletAddress'],
    ['a short wallet', { walletAddress: '0x12' }, 'walletAddress'],
    ['a wallet without 0x', { walletAddress: walletAddress.slice(2) }, 'walletAddress'],
    ['a wallet null', { walletAddress: null }, 'walletAddress'],
    ['ETH as a number', { ethWei: 1 }, 'ethWei'],
    ['ETH null', { ethWei: null }, 'ethWei'],
    ['no digits', { ethWei: '' }, 'ethWei'],
    ['a sign', { ethWei: '-1' }, 'ethWei'],
    ['a plus', { ethWei: '+1' }, 'ethWei'],
    ['hex', { ethWei: '0x1' }, 'ethWei'],
    ['a fraction', { ethWei: '0.1' }, 'ethWei'],
    ['an exponent', { ethWei: '1e3' }, 'ethWei'],
    ['a blank', { ethWei: ' 1' }, 'ethWei'],
    ['a line break', { ethWei: '1\n' }, 'ethWei'],
    ['digits of another script', { ethWei: '١' }, 'ethWei'],
    ['USDC as a number', { usdcAmount: 2 }, 'usdcAmount'],
    ['USDC null', { usdcAmount: null }, 'usdcAmount'],
    ['USDC in human units', { usdcAmount: '2.5' }, 'usdcAmount'],
    ['USDC as a list', { usdcAmount: ['1'] }, 'usdcAmount'],
    ['neither amount', { ethWei: undefined, usdcAmount: undefined }, 'ethWei'],
    ['an unknown property', { token: 'usdc' }, 'token'],
  ])('error: InvalidParametersError for %s', async (_name, overrides, field) => {
    expectViolations(await server.post(fundWallet, buildFunding(overrides)), [field]);
    expect(server.calls.fundWallet).toEqual([]);
  });

  it('error: InvalidParametersError for a query parameter', async () => {
    expectViolations(await server.post(`${fundWallet}?chain=base`, buildFunding()), ['chain']);
  });

  it.each(['moon', '', 'Base', 'toString'])('error: ChainNotActiveError for the chain %p', async (chain) => {
    const { details } = expectError(
      await server.post(fundWallet, buildFunding({ chain })),
      400,
      'CHAIN_NOT_ACTIVE',
    );
    expect(details).toEqual({ supportedChains: ['base', 'ethereum'] });
    expect(server.calls.fundWallet).toEqual([]);
  });
});

describe('refusals of forks', () => {
  const limits = { maxEthWeiPerCall: '20000000000000000', maxUsdcBaseUnitsPerCall: '50000000' };

  it.each([
    [400, new TestingCapExceededError({ detail: 'd', details: { limits } })],
    [403, new WalletNotAllowedError({ detail: 'd' })],
    [503, new ForksNotConfiguredError({ detail: 'd' })],
    [503, new ForkNotRunningError({ detail: 'd' })],
    [503, new ForkCapacityError({ detail: 'd', retryAfterSeconds: 5 })],
    [503, new FundingFailedError({ detail: 'd' })],
  ])('behavior: %d for %p', async (statusCode, error) => {
    server = await startServer({
      features: forks({ fundWallet: () => Promise.reject(error), forkStatus: () => Promise.reject(error) }),
    });
    for (const response of [await server.post(fundWallet, buildFunding()), await server.get(forkStatus)]) {
      expect(expectError(response, statusCode, error.code).details).toEqual(error.details);
      expect(response.headers['retry-after'] !== undefined).toBe(error.retryable);
      expect(response.headers['ratelimit-limit']).toBeDefined();
    }
  });
});

describe('GET /v1/testing/fork-status', () => {
  it('default: the unchanged status of the forks', async () => {
    server = await startServer();
    const response = await server.get(forkStatus);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(buildForkStatusResponse());
  });

  it('error: InvalidParametersError for a query parameter', async () => {
    server = await startServer();
    expectViolations(await server.get(`${forkStatus}?chain=base&x`), ['chain', 'x']);
  });
});

describe('request limit', () => {
  it('behavior: both routes share the limit of the testing tools', async () => {
    const { perMinute } = buildSettings().rateLimits;
    server = await startServer({
      settings: { rateLimits: { store: 'memory', perMinute: { ...perMinute, testing: 2 } } },
    });
    expect((await server.post(fundWallet, buildFunding())).headers['ratelimit-limit']).toBe('2');
    expect((await server.get(forkStatus)).headers['ratelimit-remaining']).toBe('0');
    expectError(await server.post(fundWallet, buildFunding()), 429, 'RATE_LIMIT_EXCEEDED');
  });
});

describe('where testing tools are off', () => {
  beforeEach(async () => {
    server = await startServer({ settings: { testing: { enabled: false } } });
  });

  it('error: NotFoundError like any unknown route, valid or not, limited as one', async () => {
    const unknown = await server.post('/nowhere', {});
    for (const response of [
      await server.post(fundWallet, buildFunding()),
      await server.post(fundWallet, {}),
      await server.post(`${fundWallet}?x=1`, {}),
      await server.get(forkStatus),
    ]) {
      const { detail } = expectError(response, 404, 'NOT_FOUND');
      expect(detail).toBe(unknown.json<{ detail: string }>().detail);
      expect(response.headers['ratelimit-limit']).toBe(unknown.headers['ratelimit-limit']);
    }
    expect(server.calls.fundWallet).toEqual([]);
  });

  it('behavior: the served document does not name them', async () => {
    const document: OpenAPIObject = (await server.get('/openapi.json')).json();
    expect(Object.keys(document.paths).filter((path) => path.includes('testing'))).toEqual([]);
    expect(document.tags?.map(({ name }) => name)).not.toContain('Testing');
    expect(JSON.stringify(document.components)).not.toMatch(/FundWallet|ForkStatus|ActiveForks/);
  });
});
