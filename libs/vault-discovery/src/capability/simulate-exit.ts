import { exitProbeAbi, exitProbeDeployedBytecode } from '@yield-vault/contracts';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { maxBigInt, minBigInt } from '@yield-vault/protocol';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { readGasLimit } from '../chain/read-contracts.js';
import type { ExitSample } from '../ports.js';
import { type Simulator, type TokenSlot, withBalance } from './create-simulator.js';
import { probeAmount } from './probe-vault.js';
import type { VaultTotals } from './read-vault-assets.js';

/** The result of simulated redeems. */
export type SimulatedExit = Pick<ExitSample, 'exitBps' | 'curve'> & { readonly instant: bigint };

/** A redeem as `ExitProbe.sol` measures it: shares, their `convertToAssets`, and what was paid; 0 when it reverts. */
export interface Redeem {
  readonly shares: bigint;
  readonly expected: bigint;
  readonly received: bigint;
}

const redeemGas = BigInt(readGasLimit);
const measure = { abi: exitProbeAbi, functionName: 'measure' } as const;

const all = 10_000n;
/** The call pays for 4 redeems at the full gas limit: 40 million gas, within what prepare needs of a node. */
const redeemsPerCall = 4n;
/** Sizes in thousandths of the vault. The second one is there because rounding can forbid the last share. */
const thousandths = [1_000n, 995n, 500n, 250n, 100n, 50n, 20n, 10n, 5n, 1n];
/** Sizes of about 1k, 10k, 100k and 1M USD, in amounts of ten dollars. */
const tens = [100n, 1_000n, 10_000n, 100_000n];

/**
 * Find the largest redeem that a vault pays out, by redeeming a balance equal to the total supply.
 *
 * @returns undefined when redeems of overridden shares are inconclusive, or the node cannot run them
 */
export async function simulateExit(
  { holder, run }: Simulator,
  entry: Pick<RegistryEntry, 'address' | 'asset' | 'facts'>,
  slots: { readonly asset: TokenSlot; readonly share: TokenSlot },
  totals: VaultTotals,
): Promise<SimulatedExit | undefined> {
  const { totalAssets, totalSupply } = totals;
  const [vault, asset] = [entry.address, entry.asset.address];
  const deposited = probeAmount(entry);
  const redeem = async (shares: readonly bigint[], deposit = 0n) => {
    const data = await run({
      to: holder,
      data: encodeFunctionData({ ...measure, args: [vault, asset, deposit, shares, redeemGas] }),
      gas: redeemGas * redeemsPerCall,
      stateOverride: [
        { address: holder, code: exitProbeDeployedBytecode },
        withBalance(slots.asset, deposited),
        withBalance(slots.share, totalSupply),
      ],
    });
    return data && decodeFunctionResult({ ...measure, data });
  };

  const measured = await redeem(sizesOf(entry, totals));
  if (!measured) return undefined;
  const [redeems, isWhole] = measured;
  const instant = redeems.filter(pays).reduce((most, { received }) => maxBigInt(most, received), 0n);
  if (instant === 0n && !isWhole) return undefined;
  if (redeems.every(({ received }) => received === 0n)) {
    // Redeem after a real deposit: a vault that keeps a second share count rejects overridden shares even when it has assets.
    const half = (deposited * totalSupply) / totalAssets / 2n;
    // A hostile vault can make it larger than a number of the EVM.
    const [paid = []] = (await redeem([minBigInt(half, totalSupply)], deposited)) || [];
    if (!paid[0]?.received) return undefined;
  }
  const curve = redeems
    .filter(({ expected }) => expected > 0n)
    .map((redeem) => ({ assets: redeem.expected, receivedBps: receivedBps(redeem)! }))
    .sort((a, b) => Number(a.assets - b.assets));
  const smallest = isWhole ? curve[0]?.receivedBps : undefined;
  return { instant, exitBps: smallest ? Number(all) - smallest : null, curve };
}

/** At most 14 amounts of shares, largest first. */
function sizesOf(
  entry: Pick<RegistryEntry, 'asset' | 'facts'>,
  { totalAssets, totalSupply }: VaultTotals,
): bigint[] {
  const sizes = [
    ...thousandths.map((part) => (totalSupply * part) / 1_000n),
    ...tens.map((factor) => (probeAmount(entry) * factor * totalSupply) / totalAssets),
  ].filter((shares) => shares > 0n && shares <= totalSupply);
  return [...new Set(sizes)].sort((a, b) => (a < b ? 1 : -1));
}

/** Whether a redeem pays at least 99 % of the share price. */
export const pays = ({ expected, received }: Redeem): boolean =>
  expected > 0n && received > 0n && received >= expected - expected / 100n;

/** What a redeem pays in basis points of the share price, at most all; undefined without a share price. */
function receivedBps({ expected, received }: Redeem): number | undefined {
  if (expected === 0n) return undefined;
  // One base unit short counts as all: the vault rounds down.
  if (received + 1n >= expected) return Number(all);
  return Number((received * all + expected / 2n) / expected);
}

/** What a redeem costs, in basis points of the share price; null without a share price. */
export function exitBpsOf(redeem: Redeem): number | null {
  const received = receivedBps(redeem);
  return received === undefined ? null : Number(all) - received;
}

/** The highest of the known costs; null without any. */
export function highest(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length > 0 ? Math.max(...known) : null;
}
