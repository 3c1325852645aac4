import type { Address, Hex, TransactionSerializable } from 'viem';
import { accountOf, type AgentSigner } from './signer.js';

/** A complete transaction without its signature. Fees are wei. */
export interface UnsignedTransaction {
  readonly type: 'eip1559' | 'eip7702';
  readonly chainId: number;
  readonly nonce: number;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** The new implementation; the zero address clears the delegation; `null` in a type-2 transaction. */
  readonly authorization: {
    readonly address: Address;
    readonly chainId: number;
    readonly nonce: number;
  } | null;
}

/**
 * Sign a transaction, and the authorization in it.
 *
 * @returns The raw transaction.
 * @throws {UnsupportedSignerError} When the signer cannot sign authorizations.
 */
export async function signTransaction(
  signer: AgentSigner,
  { authorization, ...fields }: UnsignedTransaction,
): Promise<Hex> {
  const account = await accountOf(signer);
  const authorizationList = authorization && [await account.signAuthorization(authorization)];
  return account.signTransaction({
    ...fields,
    ...(authorizationList && { authorizationList }),
  } as TransactionSerializable);
}
