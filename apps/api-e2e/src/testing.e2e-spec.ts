import { canonical } from '@yield-vault/contracts';
import { createPublicClient, erc20Abi, http, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createApiClient, type ApiClient } from '../test/support/api-client.js';
import { forkedChains, sharedForkService } from '../test/support/devnet.js';
import { startServer, type Server } from '../test/support/start-server.js';

const maxEthWei = '20000000000000000';
const maxUsdc = '50000000';
const limits = { maxEthWeiPerCall: maxEthWei, maxUsdcBaseUnitsPerCall: maxUsdc };
const freshWallet = () => privateKeyToAddress(generatePrivateKey());
const listed = freshWallet();

/** Balances of a wallet on the fork of a chain, read without the service. */
async function balancesOn(chain: 'base' | 'ethereum', address: Address) {
  const { walletRpcUrl, chainId } = forkedChains()[chain];
  const client = createPublicClient({ transport: http(walletRpcUrl) });
  const [eth, usdc] = await Promise.all([
    client.getBalance({ address }),
    client.readContract({
      address: canonical.usdc[chainId],
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [address],
    }),
  ]);
  return { eth: String(eth), usdc: String(usdc) };
}

describe('testing tools', () => {
  let server: Server;
  let api: ApiClient;

  beforeAll(async () => {
    server = await startServer({ forkService: sharedForkService(), backfillHours: 48 });
    api = await createApiClient(server.url);
  }, 60_000);
  afterAll(() => server?.stop());

  describe.each(['base', 'ethereum'] as const)('on %s', (chain) => {
    const { chainId } = { base: { chainId: 8453 }, ethereum: { chainId: 1 } }[chain];
    const tokenAddress = canonical.usdc[chainId as 1 | 8453];

    it('default: both balances are minted on the fork, and said as the fork has them', async () => {
      const walletAddress = freshWallet();
      const body = { chain, walletAddress, ethWei: maxEthWei, usdcAmount: maxUsdc };
      const funded = await api.fundWallet(body);
      expect(funded).toEqual({
        success: true,
        environment: 'local',
        chain,
        chainId,
        walletAddress,
        forkId: expect.stringMatching(/./),
        funded: {
          eth: { requestedAmountWei: maxEthWei, resultingBalanceWei: maxEthWei },
          usdc: { tokenAddress, requestedAmountBaseUnits: maxUsdc, resultingBalanceBaseUnits: maxUsdc },
        },
        limits,
        allowlistEnforced: false,
      });
      expect(await balancesOn(chain, walletAddress)).toEqual({ eth: maxEthWei, usdc: maxUsdc });

      // The caps are of a call, not of a wallet.
      const again = await api.fundWallet(body);
      expect(again.forkId).toBe(funded.forkId);
      expect(again.funded.usdc.resultingBalanceBaseUnits).toBe('100000000');
      expect(await balancesOn(chain, walletAddress)).toEqual({ eth: '40000000000000000', usdc: '100000000' });
    });

    it.each([
      [{ ethWei: '1' }, { eth: '1', usdc: '0' }],
      [{ usdcAmount: '1' }, { eth: '0', usdc: '1' }],
    ])('behavior: %j alone leaves the other balance', async (amounts, balances) => {
      const walletAddress = freshWallet();
      const { funded } = await api.fundWallet({ chain, walletAddress, ...amounts });
      expect(funded).toMatchObject({
        eth: { requestedAmountWei: balances.eth, resultingBalanceWei: balances.eth },
        usdc: { requestedAmountBaseUnits: balances.usdc, resultingBalanceBaseUnits: balances.usdc },
      });
      expect(await balancesOn(chain, walletAddress)).toEqual(balances);
    });

    it('behavior: of concurrent fundings of a wallet every one counts', async () => {
      const walletAddress = freshWallet();
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          api.fundWallet({ chain, walletAddress, ethWei: '1000', usdcAmount: String(index + 1) }),
        ),
      );
      expect(await balancesOn(chain, walletAddress)).toEqual({ eth: '12000', usdc: '78' });
    });

    it.each([
      ['ethWei', '20000000000000001'],
      ['usdcAmount', '50000001'],
    ])('error: %s over its cap mints nothing', async (field, amount) => {
      const walletAddress = freshWallet();
      const body = { chain, walletAddress, ethWei: '1', usdcAmount: '1', [field]: amount };
      const refused = await api.refused('POST', '/v1/testing/fund-wallet', body);
      expect([refused.status, refused.body.code, refused.body.error]).toEqual([
        400,
        'TESTING_CAP_EXCEEDED',
        'ethWei/usdcAmount exceeds testing cap',
      ]);
      expect(await balancesOn(chain, walletAddress)).toEqual({ eth: '0', usdc: '0' });
    });

    it('default: fork-status shows the fork that wallets act on', async () => {
      const { forkId } = await api.fundWallet({ chain, walletAddress: freshWallet(), ethWei: '1' });
      const status = await api.forkStatus();
      const client = createPublicClient({ transport: http(forkedChains()[chain].walletRpcUrl) });
      const head = Number(await client.getBlockNumber());

      expect(status).toMatchObject({ success: true, environment: 'local', preflightMode: 'enforce', limits });
      expect(status.supportedTokens).toContainEqual({ chain, chainId, tokens: { usdc: tokenAddress } });
      const primary = status.primaryForks.find((fork) => fork.chain === chain);
      expect(primary).toEqual({
        chain,
        chainId,
        id: forkId,
        status: 'running',
        rpcUrl: forkedChains()[chain].walletRpcUrl,
        blockNumber: expect.any(Number),
        createdAt: expect.any(String),
      });
      expect(head - primary!.blockNumber).toBeLessThan(5);
      expect(head - primary!.blockNumber).toBeGreaterThanOrEqual(0);
      const { createdAt } = primary!;
      expect(new Date(createdAt).toISOString()).toBe(createdAt);
      const active = status.activeForks[chain]!;
      expect(active.chainId).toBe(chainId);
      expect(active.count).toBe(active.forks.length);
      expect(active.forks).toContainEqual({
        id: forkId,
        kind: 'persistent',
        status: 'running',
        backend: 'anvil',
        createdAt,
      });
    });
  });

  it('default: fork-status says how the forks are', async () => {
    const { health, primaryForks, activeForks, supportedTokens } = await api.forkStatus();
    expect(health).toMatchObject({ status: 'healthy', version: expect.stringMatching(/\d/) });
    expect(health.maxForks).toBeGreaterThanOrEqual(health.activeForks);
    const counted = Object.values(activeForks).reduce((sum, { count }) => sum + count, 0);
    expect(health.activeForks).toBe(counted);
    expect(primaryForks.map(({ chain }) => chain).sort()).toEqual(['base', 'ethereum']);
    expect(supportedTokens.map(({ chain }) => chain).sort()).toEqual(['base', 'ethereum']);
  });

  // All rules of the form are in apps/api/test/http/testing.spec.ts.
  it.each([{ ethWei: undefined }, { extra: 1 }, { walletAddress: '0x1234' }, { usdcAmount: '1.5' }])(
    'error: INVALID_PARAMETERS for %j',
    async (change) => {
      const body = { chain: 'base', walletAddress: listed, ethWei: '1', ...change };
      const { status, body: error } = await api.refused('POST', '/v1/testing/fund-wallet', body);
      expect([status, error.code]).toEqual([400, 'INVALID_PARAMETERS']);
      expect(error.details['violations']).not.toEqual([]);
    },
  );

  it('error: INVALID_PARAMETERS for a query of fork-status', async () => {
    const { status, body } = await api.refused('GET', '/v1/testing/fork-status?chain=base');
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETERS']);
  });

  describe('with an allowlist, lower caps and hidden addresses', () => {
    let strict: Server;
    let strictApi: ApiClient;

    beforeAll(async () => {
      strict = await startServer({
        forkService: sharedForkService(),
        backfillHours: 48,
        testing: { allowlist: [listed], maxUsdcBaseUnitsPerCall: 1_000, publicRpcUrls: false },
      });
      strictApi = await createApiClient(strict.url);
    }, 60_000);
    afterAll(() => strict?.stop());

    it('behavior: a listed wallet is funded, in any case of its address', async () => {
      const walletAddress = listed.toLowerCase();
      const funded = await strictApi.fundWallet({ chain: 'base', walletAddress, usdcAmount: '1000' });
      expect(funded).toMatchObject({ walletAddress: listed, allowlistEnforced: true });
      expect(funded.limits).toEqual({ ...limits, maxUsdcBaseUnitsPerCall: '1000' });
    });

    it('error: TESTING_CAP_EXCEEDED at the lower cap', async () => {
      const body = { chain: 'base', walletAddress: listed, usdcAmount: '1001' };
      const { status, body: error } = await strictApi.refused('POST', '/v1/testing/fund-wallet', body);
      expect([status, error.code]).toEqual([400, 'TESTING_CAP_EXCEEDED']);
    });

    it('behavior: no RPC address is shown', async () => {
      const { primaryForks } = await strictApi.forkStatus();
      expect(primaryForks.map(({ rpcUrl }) => rpcUrl)).toEqual([null, null]);
    });
  });
});
