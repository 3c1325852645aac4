import { capabilityProbeAbi, capabilityProbeDeployedBytecode } from '@yield-vault/contracts';
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  type StateOverride,
} from 'viem';

/** Runs calls at one block with overridden state. */
export interface Simulator {
  /** A random address that has code and assets only inside of these calls. */
  readonly holder: Address;
  /** @returns undefined when the node refuses the call */
  readonly run: (call: {
    readonly to: Address;
    readonly data: Hex;
    readonly stateOverride: StateOverride;
    /** `readGasLimit` by default. */
    readonly gas?: bigint;
  }) => Promise<Hex | undefined>;
}

/** Also runs calls over several blocks. */
export interface BlockSimulator extends Simulator {
  /**
   * Run calls in blocks that follow each other. Overrides of a block stay.
   *
   * @returns for each block the data of its calls, undefined for one that reverted; undefined when the node cannot run it
   */
  readonly runBlocks: (
    blocks: readonly {
      /** Unix seconds. */
      readonly time: bigint;
      readonly calls: readonly { readonly to: Address; readonly data: Hex }[];
      readonly stateOverrides?: StateOverride;
    }[],
  ) => Promise<readonly (readonly (Hex | undefined)[])[] | undefined>;
}

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
