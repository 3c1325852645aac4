import type { Address, PublicClient } from 'viem';

/** The calls of a node that a transaction of the wallet needs. */
export type TransactionRpc = Pick<
  PublicClient,
  'estimateFeesPerGas' | 'estimateGas' | 'getBalance' | 'getTransactionCount'
>;

/** A transaction of the wallet is pending, so the nonce of the next one is uncertain. */
export class TransactionInFlightError extends Error {
  override readonly name = 'TransactionInFlightError';
  readonly code = 'TRANSACTION_IN_FLIGHT';

  constructor() {
    super('A transaction of the wallet is pending; try again once it is in a block');
  }
}

/** Add a margin to a gas estimate. */
export const withMargin = (gas: bigint): bigint => (gas * 125n) / 100n;

/**
 * Read nonce, fees and balance for the next transaction of a wallet.
 *
 * @throws {TransactionInFlightError} when a transaction of the wallet is pending
 */
export async function readNextTransaction(rpc: TransactionRpc, wallet: Address) {
  const [nonce, pending, balance, fees] = await Promise.all([
    rpc.getTransactionCount({ address: wallet }),
    rpc.getTransactionCount({ address: wallet, blockTag: 'pending' }),
    rpc.getBalance({ address: wallet }),
    rpc.estimateFeesPerGas(),
  ]);
  if (pending !== nonce) throw new TransactionInFlightError();
  const { maxPriorityFeePerGas } = fees;
  const maxFeePerGas = fees.maxFeePerGas * 2n;
  const costOf = (gas: bigint) => {
    const maxCostWei = gas * maxFeePerGas;
    return { maxCostWei, missingWei: maxCostWei > balance ? maxCostWei - balance : 0n };
  };
  return { nonce, fees: { maxFeePerGas, maxPriorityFeePerGas }, costOf };
}
