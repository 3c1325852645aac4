import { parseUnits } from 'viem';
import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { RegistryEntry, VaultFacts } from '../catalogue/parse-registry.js';
import type { Capability } from '../ports.js';
import { judgeDeposit } from './judge-deposit.js';
import type { Simulator, TokenSlot } from './create-simulator.js';
import { simulateDeposit } from './simulate-deposit.js';

/** Factors for retries after an amount that may have been too small. */
const larger = [100n, 10_000n];

/** The outcome of a simulation, without its time. */
export type Finding = Pick<
  Capability,
  'result' | 'failedStep' | 'reason' | 'assetsIn' | 'sharesOut' | 'assetsOut' | 'depositGas' | 'redeemGas'
>;

/**
 * Simulate a deposit and redeem, with larger amounts where the vault may have a minimum.
 *
 * @returns the outcome of the first amount, unless a larger one works: its reason then says why the first one failed;
 * undefined when it cannot be simulated
 */
export async function probeVault(
  simulator: Simulator,
  { entry }: Pick<TrackedVault, 'entry'>,
  assetSlot: TokenSlot,
): Promise<Finding | undefined> {
  const tryWith = async (assetsIn: bigint) => {
    const outcome = await simulateDeposit(simulator, entry.address, assetSlot, assetsIn);
    if (!outcome) return undefined;
    const { sharesOut, assetsOut, depositGas, redeemGas } = outcome;
    return {
      ...judgeDeposit(outcome, assetsIn),
      assetsIn,
      sharesOut,
      assetsOut,
      depositGas: Number(depositGas),
      redeemGas: Number(redeemGas),
    };
  };

  const amount = probeAmount(entry);
  const first = await tryWith(amount);
  if (!first) return undefined;
  const { isTooSmall, ...finding } = first;
  if (!isTooSmall) {
    // The overridden balance only shows in `balanceOf`: this asset keeps balances elsewhere.
    const isArtefact = finding.failedStep === 'deposit' && finding.reason === 'INSUFFICIENT_BALANCE';
    return isArtefact ? undefined : finding;
  }
  for (const factor of larger) {
    const again = await tryWith(amount * factor);
    if (again?.result === 'ok') {
      const { isTooSmall: _, ...works } = again;
      return { ...works, reason: finding.reason };
    }
  }
  return finding;
}

/** About ten dollars, in whole units of the asset. */
const wholeUnits: Readonly<Record<NonNullable<VaultFacts['assetClass']>, string>> = {
  native: '0.01',
  lst: '0.01',
  lrt: '0.01',
  wrapped_btc: '0.0002',
  fiat_stable: '10',
  cdp_stable: '10',
  synthetic_stable: '10',
};

/** The first amount to simulate, in base units: one whole unit for an unknown kind of asset. */
export function probeAmount({ asset, facts }: Pick<RegistryEntry, 'asset' | 'facts'>): bigint {
  const amount = parseUnits(facts.assetClass ? wholeUnits[facts.assetClass] : '1', asset.decimals);
  return amount === 0n ? 1n : amount;
}
