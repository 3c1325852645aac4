import type { IntentEnvelope } from './intent-envelope.js';
import type { Address, ChainId, Decimal, Digits, Hash32, Hex, Integer } from './values.js';

/** Names the execution scheme: one user operation, authorised by the intent validator module. */
export const executionModel = 'erc4337-validator-intent-v1';

export interface ExecuteRequest {
  readonly intentEnvelope: IntentEnvelope;
  readonly intentSignature: Hex;
  readonly intentId?: string;
}

/** Cost of the gas, in human units of the token. */
export interface GasPaid {
  /** Token that paid. @example {usdc} */
  readonly token: Address;
  /** Amount paid. @example 0.0123 */
  readonly amount: Decimal;
}

/** What the operation did to a position: positive on deposit, negative on redeem. Human units. */
export interface PositionUpdate {
  /** Id of the vault. @example {vaultId} */
  readonly vaultId: Digits;
  /** Name of the vault. @example {vaultName} */
  readonly vaultName: string;
  /** Chain key. @example base */
  readonly chain: string;
  /** Change in shares, in human units of the share token. @example 24.5 */
  readonly sharesDelta: Decimal;
  /** Change in assets, in human units of the asset. @example 25 */
  readonly assetsDelta: Decimal;
  /** Whole assets for one whole share in this operation. @example 1.0204 */
  readonly effectivePrice: Decimal;
  /** Gas paid through the paymaster. */
  readonly gasPaid: GasPaid;
}

/** Receipt of the user operation. */
export interface Receipt {
  /** Outcome of the user operation. @example success */
  readonly status: 'success' | 'reverted';
  /** Gas used. @example 231000 */
  readonly gasUsed: Digits;
  /** Block of the transaction. @example 12345678 */
  readonly blockNumber: Integer;
}

/** The intent is on chain. */
export interface ExecuteResponse {
  /** Execution scheme. */
  readonly executionModel: typeof executionModel;
  /** already_executed: the intent succeeded before; the hashes are those of then. @example executed */
  readonly result: 'executed' | 'already_executed';
  /** Hash of the user operation. @example {hash32} */
  readonly userOpHash: Hash32;
  /** Hash of the transaction. @example {hash32} */
  readonly txHash: Hash32;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Chain key. @example base */
  readonly chain: string;
  /** Receipt of the user operation. */
  readonly receipt: Receipt;
  /**
   * The transaction on the block explorer of the chain. Where wallets act on test forks, it is on the fork
   * alone, and the explorer does not know it.
   * @example https://basescan.org/tx/0x…
   */
  readonly explorerUrl: string;
  /** What changed; with rebalance the vault moved to. */
  readonly positionUpdate: PositionUpdate;
  /** Rebalance only: the vault that was left. */
  readonly sourcePositionUpdate?: PositionUpdate;
}
