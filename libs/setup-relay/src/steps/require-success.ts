import { decodeRevertReason } from '@yield-vault/contracts';
import { SetupTransactionRevertedError, type SetupTicket } from '@yield-vault/protocol';
import type { TransactionReceipt } from 'viem';
import type { SetupChain } from '../ports.js';
import type { SetupTransaction } from '../types.js';
import { revertDataOf } from './revert-data-of.js';

/**
 * Check that the mined transaction succeeded.
 *
 * @throws {SetupTransactionRevertedError} when it reverted, with the decoded reason
 */
export async function requireSuccess(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
  receipt: TransactionReceipt,
): Promise<void> {
  if (receipt.status === 'success') return;
  const revertReason = await replay(chain, transaction, ticket, receipt);
  throw new SetupTransactionRevertedError({
    detail: `The setup transaction was mined in block ${receipt.blockNumber} and reverted: ${revertReason}.`,
    details: { txHash: transaction.hash, blockNumber: receipt.blockNumber.toString(), revertReason },
  });
}

// A receipt carries no reason. The delegation outlives the revert, so the same call on the state after the
// block fails the same way, unless nothing was missing but gas.
async function replay(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
  receipt: TransactionReceipt,
): Promise<string> {
  try {
    await chain.rpc.call({
      account: ticket.walletAddress,
      to: ticket.walletAddress,
      data: transaction.data,
      blockNumber: receipt.blockNumber,
    });
    return 'OUT_OF_GAS';
  } catch (error) {
    const data = revertDataOf(error);
    return data === undefined ? 'UNKNOWN' : decodeRevertReason(data);
  }
}
