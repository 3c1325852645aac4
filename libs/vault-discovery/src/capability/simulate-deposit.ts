import { capabilityProbeAbi, capabilityProbeDeployedBytecode } from '@yield-vault/contracts';
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { type Simulator, type TokenSlot, withBalance } from './create-simulator.js';

/** In the order of the contract's enum; `shares`: the deposit succeeded and gave none. */
const steps = ['none', 'approve', 'deposit', 'shares', 'redeem'] as const;

/** The outcome of a simulated deposit and redeem, as measured by `CapabilityProbe.sol`. */
export interface ProbeOutcome {
  readonly failedStep: (typeof steps)[number];
  readonly isOutOfGas: boolean;
  readonly revertData: Hex;
  readonly sharesOut: bigint;
  readonly assetsOut: bigint;
  readonly depositGas: bigint;
  readonly redeemGas: bigint;
  readonly isPaused: boolean;
  readonly isDepositAsync: boolean;
  readonly isRedeemAsync: boolean;
}

/**
 * Deposit into a vault and redeem everything, within one call that leaves nothing behind.
 *
 * @returns undefined when the node cannot run it
 */
export async function simulateDeposit(
  { holder, run }: Simulator,
  vault: Address,
  asset: TokenSlot,
  assets: bigint,
): Promise<ProbeOutcome | undefined> {
  const probe = { abi: capabilityProbeAbi, functionName: 'probe' } as const;
  const returned = await run({
    to: holder,
    data: encodeFunctionData({ ...probe, args: [vault, asset.address, assets] }),
    stateOverride: [{ address: holder, code: capabilityProbeDeployedBytecode }, withBalance(asset, assets)],
  });
  if (returned === undefined) return undefined;
  const outcome = decodeFunctionResult({ ...probe, data: returned });
  return { ...outcome, failedStep: steps[outcome.failedStep]! };
}
