import { capabilityProbeAbi, capabilityProbeDeployedBytecode } from '@yield-vault/contracts';
import { decodeFunctionResult, encodeFunctionData, numberToHex, type Address, type Hex } from 'viem';
import type { Simulator } from './simulator.js';

/** In the order of the enum of the contract; `shares`: the deposit went through and gave none. */
const steps = ['none', 'approve', 'deposit', 'shares', 'redeem'] as const;

/** How a simulated deposit and redeem went, as the contract in `CapabilityProbe.sol` measured it. */
export interface ProbeOutcome {
  readonly failedStep: (typeof steps)[number];
  readonly isOutOfGas: boolean;
  readonly revertData: Hex;
  readonly sharesOut: bigint;
  /** What `previewRedeem` promised for these shares; 0 when it does not answer. */
  readonly assetsPreviewed: bigint;
  readonly assetsOut: bigint;
  readonly isPaused: boolean;
  readonly isDepositAsync: boolean;
  readonly isRedeemAsync: boolean;
}

/**
 * Deposit into a vault and redeem everything, within one call that leaves nothing behind.
 *
 * @param balanceSlot - where the asset keeps the balance of the simulated holder
 * @returns undefined when the node cannot run it
 */
export async function simulateDeposit(
  { holder, run }: Simulator,
  vault: Address,
  asset: { readonly address: Address; readonly balanceSlot: Hex },
  assets: bigint,
): Promise<ProbeOutcome | undefined> {
  const probe = { abi: capabilityProbeAbi, functionName: 'probe' } as const;
  const returned = await run({
    to: holder,
    data: encodeFunctionData({ ...probe, args: [vault, asset.address, assets] }),
    stateOverride: [
      { address: holder, code: capabilityProbeDeployedBytecode },
      {
        address: asset.address,
        stateDiff: [{ slot: asset.balanceSlot, value: numberToHex(assets, { size: 32 }) }],
      },
    ],
  });
  if (returned === undefined) return undefined;
  const outcome = decodeFunctionResult({ ...probe, data: returned });
  return { ...outcome, failedStep: steps[outcome.failedStep]! };
}
