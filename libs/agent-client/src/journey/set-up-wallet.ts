import type { Address } from 'viem';
import { signSetup } from '../sign/sign-setup.js';
import type { PrepareResponse, SetupRelayResponse } from '../types.js';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { verifySetup } from '../verify/verify-setup.js';
import { accepted } from './accepted.js';
import type { Node } from './node.js';
import type { Agent } from './types.js';

/**
 * Verify the setup that prepare answered, sign it and have it relayed.
 *
 * @throws {VerificationError} When it is not the setup of a deployment in the address book; nothing is signed.
 * @throws {UnknownModulesError} When modules of others would come with it; nothing is signed.
 * @throws {NodeFailedError} When the agent's own node gives no usable answer.
 * @throws {ApiError} When it is refused.
 */
export async function setUpWallet(
  { client, signer, chain, addressBook = agentAddressBook, maxSetupFeeWei, onProgress }: Agent,
  wallet: Address,
  node: Node,
  prepared: PrepareResponse,
): Promise<SetupRelayResponse> {
  const expectations = { wallet, chain, ...(maxSetupFeeWei !== undefined && { maxFeeWei: maxSetupFeeWei }) };
  const verified = accepted(verifySetup(prepared, expectations, { addressBook }));
  // The one thing about a setup that its documents cannot show.
  await node.requireKnownModules(wallet, addressBook);
  for (const line of verified.summary) onProgress?.(line);
  const signedRawTx = await signSetup(signer, verified, await node.nonceOf(wallet));
  const relayed = await client.setupRelay({ setupTicket: verified.setupTicket, signedRawTx });
  onProgress?.(`Set up in transaction ${relayed.txHash}`);
  return relayed;
}
