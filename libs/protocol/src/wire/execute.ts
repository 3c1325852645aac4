import type { Address, Hex } from 'viem';
import type { IntentEnvelope } from './intent-envelope.js';

/** Names the execution scheme: one user operation, authorised by the intent validator module. */
export const executionModel = 'erc4337-validator-intent-v1';

export interface ExecuteRequest {
  readonly intentEnvelope: IntentEnvelope;
  readonly intentSignature: Hex;
  readonly intentId?: string;
}

/** The change of a position: human-unit decimal strings, positive when the position grew. */
export interface PositionUpdate {
  readonly vaultId: string;
  readonly vaultName: string;
  readonly chain: string;
  readonly sharesDelta: string;
  readonly assetsDelta: string;
  /** Assets per share of this operation. */
  readonly effectivePrice: string;
  readonly gasPaid: { readonly token: Address; readonly amount: string };
}

export interface ExecuteResponse {
  readonly executionModel: typeof executionModel;
  readonly result: 'executed' | 'already_executed';
  readonly userOpHash: Hex;
  readonly txHash: Hex;
  readonly chainId: number;
  readonly chain: string;
  readonly receipt: {
    readonly status: 'success' | 'reverted';
    readonly gasUsed: string;
    readonly blockNumber: number;
  };
  readonly explorerUrl: string;
  readonly positionUpdate: PositionUpdate;
  /** Rebalance only: the source vault. */
  readonly sourcePositionUpdate?: PositionUpdate;
}
