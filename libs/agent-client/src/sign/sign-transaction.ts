import type { Address, Hex } from 'viem';
import { accountOf, isEthersSigner, signWithAccount, type AgentSigner } from './signer.js';

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
 * @throws {TypeError} When the signer cannot sign authorizations.
 */
export async function signTransaction(
  signer: AgentSigner,
  { type, authorization, gas, ...fields }: UnsignedTransaction,
): Promise<Hex> {
  if (isEthersSigner(signer)) {
    const authorizationList = authorization && [await signer.authorize(authorization)];
    const transaction = { ...fields, gasLimit: gas, type: type === 'eip7702' ? 4 : 2 };
    return (await signer.signTransaction({
      ...transaction,
      authorizationList,
    })) as Hex;
  }
  const account = accountOf(signer);
  if (!authorization) return account.signTransaction({ ...fields, gas, type: 'eip1559' });
  const signed = await signWithAccount(account, authorization);
  return account.signTransaction({ ...fields, gas, type: 'eip7702', authorizationList: [signed] });
}
