import { erc20Abi, erc4626Abi, parseAbi, parseUnits, type Address } from 'viem';
import {
  localAssets,
  localDepositor,
  localMulticall3Abi,
  localPriceFeedAbi,
  localUsdcAbi,
  localVaultAbi,
  localVaults,
} from '../src/local-chain/index.js';
import { canonical, chainFacts } from '@yield-vault/contracts';
import { startProvisionedChain, type ProvisionedChain } from './local-chain-client.js';

describe.each([1, 8453] as const)('provisionLocalChain on chain %s', (chainId) => {
  let chain: ProvisionedChain;
  beforeAll(async () => {
    chain = await startProvisionedChain(chainId);
  });
  afterAll(async () => {
    await chain.stop();
  });

  const read = (address: Address, functionName: 'totalAssets' | 'totalSupply' | 'decimals' | 'asset') =>
    chain.read(address, localVaultAbi, functionName);

  it('default: every vault holds its TVL, at its share price, with a reserve for years of yield', async () => {
    for (const vault of localVaults[chainId]) {
      const { decimals } = localAssets[vault.asset];
      const unit = 10n ** BigInt(decimals);
      const totalAssets = (await read(vault.address, 'totalAssets')) as bigint;
      const shareDecimals = (await read(vault.address, 'decimals')) as number;
      const onePrice = await chain.read(vault.address, erc4626Abi, 'convertToAssets', [
        10n ** BigInt(shareDecimals),
      ]);
      const reserve = await chain.read(vault.address, localVaultAbi, 'reserve');

      expect(shareDecimals).toBe(decimals + vault.decimalsOffset);
      expect(Number(totalAssets / unit) / vault.tvl).toBeCloseTo(1, 5);
      expect(Number(onePrice) / Number(unit)).toBeCloseTo(vault.sharePrice, 3);
      expect(Number(reserve / unit)).toBeGreaterThan((vault.tvl * vault.apyPercent * 2.9) / 100);
    }
  });

  it('behavior: the largest depositor owns the share that the facts name', async () => {
    for (const vault of localVaults[chainId]) {
      const supply = (await read(vault.address, 'totalSupply')) as bigint;
      const largest = await chain.read(vault.address, erc20Abi, 'balanceOf', [localDepositor(vault, 0)]);
      const second = await chain.read(vault.address, erc20Abi, 'balanceOf', [localDepositor(vault, 1)]);
      expect(Number((largest * 10_000n) / supply) / 10_000).toBeCloseTo(vault.facts.top1Share, 3);
      expect(second).toBeLessThan(largest);
    }
  });

  it('behavior: shares of the assets are covered by real supply', async () => {
    const usdcInVaults = await sumOf('USDC');
    const supply = (await read(chain.addresses.usdc, 'totalSupply')) as bigint;
    expect(supply).toBeGreaterThanOrEqual(usdcInVaults);
    const wethInVaults = await sumOf('WETH');
    expect((await read(chain.addresses.weth, 'totalSupply')) as bigint).toBeGreaterThanOrEqual(wethInVaults);
  });

  it('behavior: feeds are fresh and describe themselves, Multicall3 reads, and only the operator may mint', async () => {
    const { client, addresses } = chain;
    const { timestamp } = await client.getBlock();
    const [, ethUsd, , updatedAt] = await client.readContract({
      address: addresses.ethUsdFeed,
      abi: localPriceFeedAbi,
      functionName: 'latestRoundData',
    });
    expect([ethUsd, updatedAt]).toEqual([parseUnits('3200', 8), timestamp]);
    const pairs = [addresses.ethUsdFeed, addresses.usdcUsdFeed].map((address) =>
      client.readContract({ address, abi: localPriceFeedAbi, functionName: 'description' }),
    );
    expect(await Promise.all(pairs)).toEqual(['ETH / USD', 'USDC / USD']);
    const id = await client.readContract({
      address: canonical.multicall3,
      abi: localMulticall3Abi,
      functionName: 'getChainId',
    });
    expect(id).toBe(BigInt(chainId));
    const isMinter = await client.readContract({
      address: addresses.usdc,
      abi: localUsdcAbi,
      functionName: 'isMinter',
      args: [canonical.multicall3],
    });
    expect(isMinter).toBe(false);
  });

  it('behavior: the oracle of an L2 charges nothing for L1', async () => {
    const { l1FeeOracle } = chainFacts(chainId);
    const abi = parseAbi(['function getL1FeeUpperBound(uint256) view returns (uint256)']);
    const fee = l1FeeOracle && (await chain.read(l1FeeOracle, abi, 'getL1FeeUpperBound', [1_500n]));
    expect(fee).toBe(chainId === 1 ? undefined : 0n);
  });

  async function sumOf(asset: 'USDC' | 'WETH'): Promise<bigint> {
    let sum = 0n;
    for (const vault of localVaults[chainId].filter((candidate) => candidate.asset === asset)) {
      sum += (await read(vault.address, 'totalAssets')) as bigint;
    }
    return sum;
  }
});
