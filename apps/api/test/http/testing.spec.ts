import {
  ForkCapacityError,
  ForkNotRunningError,
  ForksNotConfiguredError,
  FundingFailedError,
  TestingCapExceededError,
  type ServiceError,
  WalletNotAllowedError,
} from '@yield-vault/protocol';
import type { OpenAPIObject } from '@nestjs/swagger';
import { examples } from '../../src/openapi/examples.js';
import { buildForkStatusResponse, buildFundWalletResponse } from '../support/build-responses.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError, expectOk, expectViolations } from '../support/expect-error.js';
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
let usual: TestServer;
let off: TestServer;
beforeAll(async () => {
  usual = await startServer();
  off = await startServer({ settings: { testing: { enabled: false } } });
});
afterAll(() => Promise.all([usual.close(), off.close()]));

describe('POST /v1/testing/fund-wallet', () => {
  beforeEach(() => void usual.calls.fundWallet.splice(0));

  it('default: hands the request on and responds with the balances', async () => {
    const response = await usual.post(fundWallet, buildFunding());
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(buildFundWalletResponse());
    expect(usual.calls.fundWallet).toEqual([buildFunding()]);
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
    expectOk(await usual.post(fundWallet, body));
    expect(usual.calls.fundWallet).toEqual([body]);
  });

  it('behavior: the wallet is passed on in EIP-55 form, from any case', async () => {
    for (const text of [walletAddress.toLowerCase(), `0x${walletAddress.slice(2).toUpperCase()}`]) {
      await usual.post(fundWallet, buildFunding({ walletAddress: text }));
    }
    expect(usual.calls.fundWallet.map((request) => request.walletAddress)).toEqual([
      walletAddress,
      walletAddress,
    ]);
  });

  it.each([
    ['a short wallet', { walletAddress: '0x12' }, 'walletAddress'],
    ['no digits', { ethWei: '' }, 'ethWei'],
    ['a sign', { ethWei: '-1' }, 'ethWei'],
    ['hex', { ethWei: '0x1' }, 'ethWei'],
    ['an exponent', { ethWei: '1e3' }, 'ethWei'],
    ['a blank', { ethWei: ' 1' }, 'ethWei'],
    ['a line break', { ethWei: '1\n' }, 'ethWei'],
    ['digits of another script', { ethWei: '١' }, 'ethWei'],
    ['USDC in human units', { usdcAmount: '2.5' }, 'usdcAmount'],
    ['neither amount', { ethWei: undefined, usdcAmount: undefined }, 'ethWei'],
  ])('error: InvalidParametersError for %s', async (_name, overrides, field) => {
    expectViolations(await usual.post(fundWallet, buildFunding(overrides)), [field]);
    expect(usual.calls.fundWallet).toEqual([]);
  });

  it('error: InvalidParametersError for a query parameter', async () => {
    expectViolations(await usual.post(`${fundWallet}?chain=base`, buildFunding()), ['chain']);
  });

  it.each(['moon', '', 'Base', 'toString'])('error: ChainNotActiveError for the chain %p', async (chain) => {
    const { details } = expectError(
      await usual.post(fundWallet, buildFunding({ chain })),
      400,
      'CHAIN_NOT_ACTIVE',
    );
    expect(details).toEqual({ supportedChains: ['base', 'ethereum'] });
    expect(usual.calls.fundWallet).toEqual([]);
  });
});

describe('refusals of forks', () => {
  const limits = { maxEthWeiPerCall: '20000000000000000', maxUsdcBaseUnitsPerCall: '50000000' };
  let thrown: ServiceError;
  let refusing: TestServer;
  beforeAll(async () => {
    const refuse = () => Promise.reject(thrown);
    const forks = { ...fakeFeatures().features.forks, fundWallet: refuse, forkStatus: refuse };
    refusing = await startServer({ features: { forks } });
  });
  afterAll(() => refusing.close());

  it.each([
    [400, new TestingCapExceededError({ detail: 'd', details: { limits } })],
    [403, new WalletNotAllowedError({ detail: 'd' })],
    [503, new ForksNotConfiguredError({ detail: 'd' })],
    [503, new ForkNotRunningError({ detail: 'd' })],
    [503, new ForkCapacityError({ detail: 'd', retryAfterSeconds: 5 })],
    [503, new FundingFailedError({ detail: 'd' })],
  ])('behavior: %d for %p', async (statusCode, error) => {
    thrown = error;
    for (const response of [
      await refusing.post(fundWallet, buildFunding()),
      await refusing.get(forkStatus),
    ]) {
      expect(expectError(response, statusCode, error.code).details).toEqual(error.details);
      expect(response.headers['retry-after'] !== undefined).toBe(error.retryable);
      expect(response.headers['ratelimit-limit']).toBeDefined();
    }
  });
});

describe('GET /v1/testing/fork-status', () => {
  it('default: the unchanged status of the forks', async () => {
    const response = await usual.get(forkStatus);
    expect([response.statusCode, response.json()]).toEqual([200, buildForkStatusResponse()]);
  });

  it('error: InvalidParametersError for a query parameter', async () => {
    expectViolations(await usual.get(`${forkStatus}?chain=base&x`), ['chain', 'x']);
  });
});

it('behavior: both routes share the limit of the testing tools', async () => {
  const { perMinute } = buildSettings().rateLimits;
  const limited = await startServer({
    settings: { rateLimits: { store: 'memory', perMinute: { ...perMinute, testing: 2 } } },
  });
  expect((await limited.post(fundWallet, buildFunding())).headers['ratelimit-limit']).toBe('2');
  expect((await limited.get(forkStatus)).headers['ratelimit-remaining']).toBe('0');
  expectError(await limited.post(fundWallet, buildFunding()), 429, 'RATE_LIMIT_EXCEEDED');
  await limited.close();
});

describe('where testing tools are off', () => {
  it('error: NotFoundError like any unknown route, valid or not, limited as one', async () => {
    const unknown = await off.post('/nowhere', {});
    for (const response of [
      await off.post(fundWallet, buildFunding()),
      await off.post(fundWallet, {}),
      await off.post(`${fundWallet}?x=1`, {}),
      await off.get(forkStatus),
    ]) {
      const { detail } = expectError(response, 404, 'NOT_FOUND');
      expect(detail).toBe(unknown.json<{ detail: string }>().detail);
      expect(response.headers['ratelimit-limit']).toBe(unknown.headers['ratelimit-limit']);
    }
    expect(off.calls.fundWallet).toEqual([]);
  });

  it('behavior: the served document does not name them', async () => {
    const document: OpenAPIObject = (await off.get('/openapi.json')).json();
    expect(Object.keys(document.paths).filter((path) => path.includes('testing'))).toEqual([]);
    expect(document.tags?.map(({ name }) => name)).not.toContain('Testing');
    expect(JSON.stringify(document.components)).not.toMatch(/FundWallet|ForkStatus|ActiveForks/);
  });
});
