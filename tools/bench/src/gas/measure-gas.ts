import { localAssetAddress, localVaults } from '@yield-vault/testing/local';
import { erc20Abi } from 'viem';
import type { BenchChain, Measured } from './chain.js';
import type { BenchVault, Contender } from './contender.js';

/** The steps that are measured, in their order. */
export const gasSteps = ['setup', 'first deposit', 'second deposit', 'redeem half', 'redeem all'] as const;
export type GasStep = (typeof gasSteps)[number];

/** Gas of one contender for each step. */
export type GasProfile = Readonly<Record<GasStep, Measured>>;

const depositAssets = 100_000_000n;

/** The first plain USDC vault of the local Base. */
export function benchVault(): BenchVault {
  const vault = localVaults[8453].find(({ kind, asset }) => kind === 'steady' && asset === 'USDC');
  if (!vault) throw new Error('The devnet has no steady USDC vault');
  return { address: vault.address, asset: localAssetAddress(vault) };
}

/**
 * Measure one contender with a fresh wallet. A throw-away wallet goes first, because the first user of a
 * contract pays for its storage.
 */
export async function measureGas(
  bench: BenchChain,
  contender: Contender,
  vault: BenchVault,
): Promise<GasProfile> {
  await profile(bench, contender, vault);
  return profile(bench, contender, vault);
}

async function profile(bench: BenchChain, contender: Contender, vault: BenchVault): Promise<GasProfile> {
  const account = await bench.newWallet();
  const shares = () =>
    bench.chain.rpc.readContract({
      address: vault.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [contender.holder?.(account) ?? account.address],
    });
  return {
    setup: await contender.setUp(bench, account),
    'first deposit': await contender.deposit(bench, account, vault, depositAssets),
    'second deposit': await contender.deposit(bench, account, vault, depositAssets),
    'redeem half': await contender.redeem(bench, account, vault, (await shares()) / 2n),
    'redeem all': await contender.redeem(bench, account, vault, await shares()),
  };
}
