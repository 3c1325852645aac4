import type { Hex } from 'viem';
import type { TrackedVault } from '../chain/sample-block.js';
import type { Capability } from '../ports.js';
import { probeAmount } from './probe-amount.js';
import { simulateDeposit } from './simulate-deposit.js';
import type { Simulator } from './simulator.js';
import { verdictOf } from './verdict-of.js';

/** What is tried after an amount that may have been too small. */
const larger = [100n, 10_000n];

/** What a simulation showed, without when it was. */
export type Finding = Pick<
  Capability,
  'verdict' | 'failedStep' | 'reason' | 'assetsIn' | 'sharesOut' | 'assetsOut'
>;

/**
 * Simulate a deposit and redeem, with more where the vault may ask for more.
 *
 * @returns what the first amount showed, unless a larger one works: the reason then tells why it took that much;
 * undefined when it cannot be simulated
 */
export async function probeVault(
  simulator: Simulator,
  { entry }: Pick<TrackedVault, 'entry'>,
  balanceSlot: Hex,
): Promise<Finding | undefined> {
  const tryWith = async (assetsIn: bigint) => {
    const asset = { address: entry.asset.address, balanceSlot };
    const outcome = await simulateDeposit(simulator, entry.address, asset, assetsIn);
    if (!outcome) return undefined;
    const { sharesOut, assetsOut } = outcome;
    return { ...verdictOf(outcome, assetsIn), assetsIn, sharesOut, assetsOut };
  };

  const amount = probeAmount(entry);
  const first = await tryWith(amount);
  if (!first) return undefined;
  const { isTooSmall, ...finding } = first;
  if (!isTooSmall) {
    // The balance exists only for `balanceOf`: this asset moves what is written elsewhere.
    const isArtefact = finding.failedStep === 'deposit' && finding.reason === 'INSUFFICIENT_BALANCE';
    return isArtefact ? undefined : finding;
  }
  for (const factor of larger) {
    const again = await tryWith(amount * factor);
    if (again?.verdict === 'ok') {
      const { isTooSmall: _, ...works } = again;
      return { ...works, reason: finding.reason };
    }
  }
  return finding;
}
