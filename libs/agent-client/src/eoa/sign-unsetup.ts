import type { Hex } from 'viem';
import { signTransaction } from '../sign/sign-transaction.js';
import type { AgentSigner } from '../sign/signer.js';
import type { Unsetup } from './types.js';

/**
 * Sign the transactions of an un-setup.
 *
 * @returns the raw transactions, in the order in which they have to be mined
 * @throws {TypeError} when the signer cannot sign authorizations
 */
export async function signUnsetup(signer: AgentSigner, { steps }: Pick<Unsetup, 'steps'>): Promise<Hex[]> {
  const signed: Hex[] = [];
  // One after the other, as a person or a device confirms them.
  for (const { transaction } of steps) signed.push(await signTransaction(signer, transaction));
  return signed;
}
