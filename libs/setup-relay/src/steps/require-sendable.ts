import { sameHex, type SetupTicket } from '@yield-vault/protocol';
import { parseDelegation } from '@yield-vault/smart-account';
import { ticketRejected, transactionRejected } from '../errors.js';
import type { SetupChain } from '../ports.js';
import type { SetupTransaction } from '../types.js';
import { asReadFailure } from './as-read-failure.js';
import { intrinsicGas } from './intrinsic-gas.js';
import { readL1Fee } from './read-l1-fee.js';

const signAgain = 'Sign the setup again with the right nonce and send it.';
const asPrepared = 'Sign the setup again with the gas that prepare gives and send it.';

/**
 * Check against the chain what would make a broadcast useless: the setup type is another than the wallet needs,
 * the nonce is used or leaves a gap, gas limit or fee are too low for any block, the wallet cannot pay for its gas and,
 * on the OP stack, for its data.
 *
 * @throws {SetupTicketRejectedError} when the wallet needs the other setup type
 * @throws {SetupTransactionRejectedError} when the transaction cannot be mined; `details.reason` says why
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function requireSendable(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
): Promise<void> {
  const address = ticket.walletAddress;
  const [code, mined, pending, balance, head, l1Fee] = await Promise.all([
    chain.rpc.getCode({ address }),
    chain.rpc.getTransactionCount({ address, blockTag: 'latest' }),
    chain.rpc.getTransactionCount({ address, blockTag: 'pending' }),
    chain.rpc.getBalance({ address }),
    chain.rpc.getBlock({ blockTag: 'latest' }),
    readL1Fee(chain, transaction.unsigned),
  ]).catch((error: unknown) => {
    throw asReadFailure(error, chain);
  });

  const delegated = sameHex(parseDelegation(code ?? '0x'), chain.contracts.account);
  const needed = delegated ? 'modules' : 'full';
  if (ticket.setupType !== needed) {
    throw ticketRejected('tx-type-valid', `The wallet needs a setup of type ${needed}.`, { needed });
  }
  const refuse = (
    reason: string,
    detail: string,
    nextAction: string,
    details: Record<string, string | number>,
  ) => transactionRejected('tx-broadcast', detail, { details: { reason, ...details }, nextAction });
  const nonces = { expected: pending, given: transaction.nonce };
  if (transaction.nonce < mined) {
    throw refuse('NONCE_TOO_LOW', `The wallet used nonce ${transaction.nonce} already.`, signAgain, nonces);
  }
  if (transaction.nonce > pending) {
    throw refuse('NONCE_TOO_HIGH', `The next nonce of the wallet is ${pending}.`, signAgain, nonces);
  }
  // Nodes differ here: some take such a transaction and keep it for ever.
  const leastGas = intrinsicGas(transaction);
  if (transaction.gas < leastGas) {
    const limits = { requiredGas: leastGas.toString(), givenGas: transaction.gas.toString() };
    throw refuse('GAS_LIMIT_TOO_LOW', 'No block can hold it with this gas limit.', asPrepared, limits);
  }
  const baseFee = head.baseFeePerGas ?? 0n;
  if (transaction.maxFeePerGas < baseFee) {
    const fees = { baseFeePerGas: baseFee.toString(), maxFeePerGas: transaction.maxFeePerGas.toString() };
    throw refuse('FEE_TOO_LOW', 'Its fee is below that of the latest block.', asPrepared, fees);
  }
  const required = transaction.gas * transaction.maxFeePerGas + l1Fee;
  if (balance < required) {
    throw refuse(
      'INSUFFICIENT_FUNDS',
      'The wallet cannot pay for the gas of its setup.',
      'Fund the wallet with ETH for the setup and send the same transaction again.',
      {
        requiredWei: required.toString(),
        availableWei: balance.toString(),
        ...(l1Fee > 0n && { l1FeeWei: l1Fee.toString() }),
      },
    );
  }
}
