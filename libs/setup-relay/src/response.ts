import { setupChecks, type SetupRelayResponse, type SetupTicket } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { SetupChain } from './ports.js';
import { requireSuccess, type Confirmed } from './receipt.js';
import type { SetupTransaction } from './transaction.js';
import { verifyWallet } from './verify-wallet.js';

/** A setup that passed every check without the chain. */
export interface CheckedSetup {
  readonly chain: SetupChain;
  readonly transaction: SetupTransaction;
  readonly ticket: SetupTicket;
  readonly ticketId: Hex;
  /** The block that includes it and its successors, at least 1. */
  readonly requiredBlocks: number;
  /** That the setup grants, in base units of USDC. */
  readonly allowance: bigint;
}

// Assumes that no node lags by more blocks, and that every node keeps their state.
const freshBlocks = 32n;

/** Verify the wallet of a confirmed setup, and build the response. */
export async function buildResponse(
  { chain, transaction, ticket, requiredBlocks, allowance }: CheckedSetup,
  { receipt, head }: Confirmed,
): Promise<SetupRelayResponse> {
  await requireSuccess(chain, transaction, ticket, receipt);
  const confirmedIn = receipt.blockNumber + BigInt(requiredBlocks - 1);
  const isFresh = head - confirmedIn < freshBlocks;
  return {
    txHash: transaction.hash,
    receiptStatus: 'success',
    blockNumber: receipt.blockNumber.toString(),
    relayMode: chain.relayMode,
    setupType: ticket.setupType,
    delegationVerified: true,
    modulesVerified: true,
    verifiedImplementation: await verifyWallet(chain, ticket, allowance, isFresh ? confirmedIn : undefined),
    setupRequired: 'none',
    verificationChecks: setupChecks.filter(
      (name) => name !== 'auth-list-valid' || transaction.type === 'eip7702',
    ),
  };
}
