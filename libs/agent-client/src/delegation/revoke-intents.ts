import { entryPointV08Abi } from '@yield-vault/contracts';
import { nonceKey, splitNonce } from '@yield-vault/smart-account';
import { encodeFunctionData, getAddress, type Address, type Hex, type PublicClient } from 'viem';
import { callNode } from '../errors.js';
import { signTransaction, type UnsignedTransaction } from '../sign/sign-transaction.js';
import { addressOf, type AgentSigner } from '../sign/signer.js';
import { agentAddressBook } from '../verify/address-book.js';
import { deploymentsOn, type DescribeOptions } from './describe-delegation.js';
import { readNextTransaction, withMargin, type TransactionRpc } from './price-transaction.js';
import type { Revocation } from './revoke-delegation.js';

/** The calls of a node that revoking intents needs. */
export type IntentsRevocationRpc = TransactionRpc & Pick<PublicClient, 'getChainId' | 'readContract'>;

/** The transaction that revokes the signed intents of a wallet. */
export interface IntentsRevocation extends Pick<Revocation, 'summary' | 'maxCostWei' | 'missingWei'> {
  readonly wallet: Address;
  /** Intents with this sequence of the nonce are revoked: those signed since the last one was executed. */
  readonly nonceSequence: bigint;
  readonly transaction: UnsignedTransaction;
}

/**
 * Prepare the transaction that revokes every intent that a wallet has signed and not executed: it skips the nonce that all of
 * them have. Nothing is signed or sent.
 *
 * @throws {TransactionInFlightError} when a transaction of the wallet is pending
 * @throws {NodeFailedError} when the node fails
 * @throws {UnknownChainError} when the address book has no deployment on the node's chain
 */
export async function prepareIntentsRevocation(
  rpc: IntentsRevocationRpc,
  wallet: Address,
  { addressBook = agentAddressBook }: DescribeOptions = {},
): Promise<IntentsRevocation> {
  return callNode(async () => {
    const chainId = await rpc.getChainId();
    const [{ entryPoint, validator }] = deploymentsOn(addressBook, chainId);
    const key = nonceKey(validator);
    const contract = { address: entryPoint, abi: entryPointV08Abi } as const;
    const data = encodeFunctionData({ ...contract, functionName: 'incrementNonce', args: [key] });
    const [next, present, estimated] = await Promise.all([
      readNextTransaction(rpc, wallet),
      rpc.readContract({ ...contract, functionName: 'getNonce', args: [wallet, key] }),
      rpc.estimateGas({ account: wallet, to: entryPoint, data }),
    ]);
    const gas = withMargin(estimated);
    const nonceSequence = splitNonce(present).sequence;
    const call = { type: 'eip1559', to: entryPoint, data, value: 0n, authorization: null } as const;
    const transaction = { ...call, chainId, nonce: next.nonce, gas, ...next.fees };
    return {
      wallet: getAddress(wallet),
      nonceSequence,
      transaction,
      summary: [`revoke every signed intent of nonce ${nonceSequence} and validator module ${validator}`],
      ...next.costOf(gas),
    };
  });
}

/**
 * Sign the transaction that revokes every intent that a wallet has signed and not executed. It needs ether. Without ether,
 * execute another operation instead: it uses the same nonce.
 *
 * @returns the revocation and its raw transaction, which is not sent
 * @throws {TransactionInFlightError | NodeFailedError | UnknownChainError} as `prepareIntentsRevocation`
 * @example
 * const { signedRawTx } = await revokeIntents(rpc, signer);
 * await rpc.sendRawTransaction({ serializedTransaction: signedRawTx });
 */
export async function revokeIntents(
  rpc: IntentsRevocationRpc,
  signer: AgentSigner,
  options: DescribeOptions = {},
): Promise<IntentsRevocation & { readonly signedRawTx: Hex }> {
  const revocation = await prepareIntentsRevocation(rpc, await addressOf(signer), options);
  return { ...revocation, signedRawTx: await signTransaction(signer, revocation.transaction) };
}
