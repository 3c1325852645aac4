import type { Address, Hex, StateOverride } from 'viem';

/** Runs calls at one block as if state were otherwise. */
export interface Simulator {
  /** Nobody: has code and holds assets only inside of these calls. */
  readonly holder: Address;
  /** @returns undefined when the node answers that the call cannot be run */
  readonly run: (call: {
    readonly to: Address;
    readonly data: Hex;
    readonly stateOverride: StateOverride;
  }) => Promise<Hex | undefined>;
}
