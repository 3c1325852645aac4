import { isLowS, sameHex, type SetupTicket } from '@yield-vault/protocol';
import {
  describeFault,
  encodeInitializeAccount,
  encodeInitializeAndApprove,
  findAuthorizationFault,
  type SignatureFault,
} from '@yield-vault/smart-account';
import {
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type Address,
  type Hex,
  type SignedAuthorizationList,
  type TransactionSerialized,
} from 'viem';
import { ticketRejected, transactionRejected } from './errors.js';
import type { SetupChain } from './ports.js';

/** A parsed setup transaction; hex is lower-case. */
export interface SetupTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  /** Without its signature. */
  readonly unsigned: Hex;
  readonly type: 'eip1559' | 'eip7702';
  readonly chainId: number;
  readonly nonce: number;
  readonly to: Address | undefined;
  /** Wei. */
  readonly value: bigint;
  readonly data: Hex;
  readonly gas: bigint;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
  /** Empty for type 2. */
  readonly authorizationList: SignedAuthorizationList;
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly yParity: number };
}

/**
 * Parse the signed transaction and check its type: 4 for `full`, 2 or 4 for `modules`.
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
  const raw = signedRawTx.toLowerCase() as Hex;
  if (!raw.startsWith('0x02') && !raw.startsWith('0x04')) return undefined;
  try {
    const parsed = parseTransaction(raw as `0x02${string}` | `0x04${string}`);
    const { r, s, yParity, ...unsigned } = parsed;
    if (r === undefined || s === undefined || yParity === undefined) return undefined;
    // Another encoding would have another hash on chain.
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
    // The parser has a class for each kind of malformed transaction.
    return undefined;
  }
}

/**
 * Check that a transaction is the setup of its ticket: chain, self-call, call data, authorization and signer.
 *
 * @param allowance - that the setup grants the paymaster, in base units of USDC
 * @throws {SetupTicketRejectedError} when the ticket is for other call data
 * @throws {SetupTransactionRejectedError} when the transaction fails a check; `details.failedCheck` names it
 */
export async function checkTransaction(
  transaction: SetupTransaction,
  ticket: SetupTicket,
  chain: SetupChain,
  allowance: bigint,
): Promise<void> {
  checkChainId(transaction, chain.chainId);
  checkSelfCall(transaction, ticket);
  checkCalldataHash(transaction, ticket, chain, allowance);
  if (transaction.type === 'eip7702') await checkAuthorizationList(transaction, ticket, chain);
  await checkSigner(transaction, ticket);
}

function checkChainId(transaction: SetupTransaction, chainId: number): void {
  if (transaction.chainId !== chainId) {
    throw transactionRejected(
      'chain-id-match',
      `The ticket is for chain ${chainId}, the transaction for chain ${transaction.chainId}.`,
      { details: { field: 'chainId', expected: chainId, given: transaction.chainId } },
    );
  }
}

function checkSelfCall(transaction: SetupTransaction, ticket: SetupTicket): void {
  if (!sameHex(transaction.to, ticket.walletAddress)) {
    throw transactionRejected('self-call', 'The transaction does not go to the wallet of the ticket.', {
      details: { field: 'to', expected: ticket.walletAddress, given: transaction.to ?? null },
    });
  }
  if (transaction.value !== 0n) {
    throw transactionRejected('self-call', 'The value of a setup transaction is 0.', {
      details: { field: 'value', expected: '0', given: String(transaction.value) },
    });
  }
}

function checkCalldataHash(
  transaction: SetupTransaction,
  ticket: SetupTicket,
  chain: SetupChain,
  allowance: bigint,
): void {
  const hashes = setupCalldata(ticket, chain, allowance).map((data) => keccak256(data));
  const expected = hashes.find((hash) => sameHex(ticket.initCalldataHash, hash));
  if (!expected) {
    throw ticketRejected('calldata-hash-match', 'The ticket is not for the setup of this deployment.', {
      field: 'initCalldataHash',
      expected: hashes.join(' or '),
      given: ticket.initCalldataHash,
    });
  }
  if (keccak256(transaction.data) !== expected) {
    throw transactionRejected('calldata-hash-match', 'The transaction does not carry the setup call data.');
  }
}

/** The call data that a setup may have. A delegation needs none, unless the wallet removed a module or the paymaster needs an allowance. */
function setupCalldata(
  { setupType, walletAddress }: SetupTicket,
  { usdc: token, contracts }: SetupChain,
  amount: bigint,
): readonly Hex[] {
  if (amount > 0n)
    return [encodeInitializeAndApprove(walletAddress, { token, spender: contracts.paymaster, amount })];
  return setupType === 'full' ? ['0x', encodeInitializeAccount()] : [encodeInitializeAccount()];
}

// The chain skips an invalid authorization silently, so it is refused here.
async function checkAuthorizationList(
  transaction: SetupTransaction,
  ticket: SetupTicket,
  chain: SetupChain,
): Promise<void> {
  const refuse = (detail: string, fault?: SignatureFault) =>
    transactionRejected('auth-list-valid', detail, { details: { ...fault } });
  const [authorization, ...others] = transaction.authorizationList;
  if (!authorization || others.length > 0) throw refuse('The authorization list has exactly one entry.');
  const wrong = await findAuthorizationFault(authorization, {
    wallet: ticket.walletAddress,
    implementation: chain.contracts.account,
    chainId: chain.chainId,
    // The sender's own nonce counts up before its authorization is processed.
    nonce: transaction.nonce + 1,
  });
  if (wrong) throw refuse(describeFault('authorization', wrong), wrong);
}

async function checkSigner(transaction: SetupTransaction, ticket: SetupTicket): Promise<void> {
  const signer = await recoverTransactionAddress({
    serializedTransaction: transaction.raw as TransactionSerialized,
  }).catch(() => undefined);
  if (!isLowS(transaction.signature.s) || !sameHex(signer, ticket.walletAddress)) {
    throw transactionRejected('signer-match', 'The transaction is not signed by the wallet of the ticket.', {
      details: { expectedSigner: ticket.walletAddress, recoveredSigner: signer ?? null },
      nextAction: 'Sign with the key of details.expectedSigner and send the transaction again.',
    });
  }
}
