import { chainFacts } from '@yield-vault/contracts';
import { createPublicClient, erc20Abi, http } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createApiClient } from '../test/support/api-client.js';
import { forkedChains, sharedServer } from '../test/support/devnet.js';

const ethWei = '20000000000000000';
const usdcAmount = '50000000';
const limits = { maxEthWeiPerCall: ethWei, maxUsdcBaseUnitsPerCall: usdcAmount };

it.each(['base', 'ethereum'] as const)(
  'default: on %s fund-wallet mints on the fork that fork-status shows, and says what the fork has',
  async (chain) => {
    const api = await createApiClient(sharedServer('forked'));
    const { chainId, walletRpcUrl: rpcUrl } = forkedChains()[chain];
    const tokenAddress = chainFacts(chainId).usdc.address;
    const rpc = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
    const walletAddress = privateKeyToAddress(generatePrivateKey());
    const body = { chain, walletAddress, ethWei, usdcAmount };
    const funded = await api.fundWallet(body);
    const { forkId } = funded;
    expect(funded).toEqual({
      success: true,
      environment: 'local',
      chain,
      chainId,
      walletAddress,
      forkId: expect.stringMatching(/./),
      funded: {
        eth: { requestedAmountWei: ethWei, resultingBalanceWei: ethWei },
        usdc: { tokenAddress, requestedAmountBaseUnits: usdcAmount, resultingBalanceBaseUnits: usdcAmount },
      },
      limits,
      allowlistEnforced: false,
    });
    // The caps are of a call, not of a wallet.
    expect(await api.fundWallet(body)).toMatchObject({
      forkId,
      funded: { usdc: { resultingBalanceBaseUnits: '100000000' } },
    });
    expect(await rpc.getBalance({ address: walletAddress })).toBe(40_000_000_000_000_000n);
    const token = { address: tokenAddress, abi: erc20Abi } as const;
    const held = rpc.readContract({ ...token, functionName: 'balanceOf', args: [walletAddress] });
    expect(await held).toBe(100_000_000n);

    const { health, primaryForks, activeForks, supportedTokens, ...status } = await api.forkStatus();
    expect(status).toMatchObject({ success: true, environment: 'local', preflightMode: 'enforce', limits });
    expect(health).toMatchObject({ status: 'healthy', version: expect.stringMatching(/\d/) });
    expect(supportedTokens).toContainEqual({ chain, chainId, tokens: { usdc: tokenAddress } });
    const { createdAt, blockNumber, ...primary } = primaryForks.find((fork) => fork.chain === chain)!;
    expect(primary).toEqual({ chain, chainId, id: forkId, status: 'running', rpcUrl });
    expect(Math.abs(Number(await rpc.getBlockNumber()) - blockNumber)).toBeLessThan(5);
    expect(activeForks[chain]).toEqual({
      chainId,
      count: 1,
      forks: [{ id: forkId, kind: 'persistent', status: 'running', backend: 'anvil', createdAt }],
    });
  },
);
