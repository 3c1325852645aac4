import type { SetupTicket } from '@yield-vault/protocol';
import { isHex, keccak256, parseTransaction, serializeTransaction, type Hex } from 'viem';
import { transactionRejected } from '../errors.js';
import type { SetupTransaction } from '../types.js';

/**
 * Take the signed transaction apart and check its type: 4 for `full`, 2 or 4 for `modules`.
 *
 * @throws {SetupTransactionRejectedError} when it is of another type, unsigned, or not in its canonical encoding
 */
export function parseSetupTransaction(
  signedRawTx: Hex,
  setupType: SetupTicket['setupType'],
): SetupTransaction {
  const transaction = parse(signedRawTx);
  if (!transaction) {
    throw transactionRejected(
      'tx-type-valid',
      'The transaction is not a signed type-2 or type-4 transaction in canonical encoding.',
    );
  }
  if (setupType !== 'modules' && transaction.type !== 'eip7702') {
    throw transactionRejected('tx-type-valid', 'A full setup is a type-4 transaction.');
  }
  return transaction;
}

function parse(signedRawTx: Hex): SetupTransaction | undefined {
  if (!isHex(signedRawTx)) return undefined;
  const raw = signedRawTx.toLowerCase() as Hex;
  if (!raw.startsWith('0x02') && !raw.startsWith('0x04')) return undefined;
  try {
    const parsed = parseTransaction(raw as `0x02${string}` | `0x04${string}`);
    const { r, s, yParity, ...unsigned } = parsed;
    if (r === undefined || s === undefined || yParity === undefined) return undefined;
    // Whatever does not encode back to the same bytes has a hash of its own on chain.
    if (serializeTransaction(parsed, { r, s, yParity }) !== raw) return undefined;
    return {
      hash: keccak256(raw),
      raw,
      unsigned: serializeTransaction(unsigned),
      type: parsed.type === 'eip7702' ? 'eip7702' : 'eip1559',
      chainId: parsed.chainId,
      nonce: parsed.nonce ?? 0,
      to: parsed.to ?? undefined,
      value: parsed.value ?? 0n,
      data: parsed.data ?? '0x',
      gas: parsed.gas ?? 0n,
      maxFeePerGas: parsed.maxFeePerGas ?? 0n,
      authorizationList: ('authorizationList' in parsed && parsed.authorizationList) || [],
      signature: { r, s, yParity },
    };
  } catch {
    // The parser throws a class of its own for each way to be malformed; for the caller they are all one.
    return undefined;
  }
}
