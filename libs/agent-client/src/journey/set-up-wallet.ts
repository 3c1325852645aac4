import type { Address } from 'viem';
import { signSetup } from '../sign/sign-setup.js';
import type { PrepareResponse } from '../types.js';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { verifySetup } from '../verify/verify-setup.js';
import { accepted } from './accepted.js';
import type { Node } from './node.js';
import { submitSetup } from './submit-setup.js';
import type { Agent, RelayedSetup } from './types.js';

/**
 * Verify the setup that prepare answered, sign it and have it relayed.
 *
 * @throws {VerificationError} When it is not the setup of a deployment in the address book, or would replace a
 * delegation to another implementation unasked; nothing is signed.
 * @throws {UnknownModulesError} When modules of others would come with it; nothing is signed.
 * @throws {NodeFailedError} When the agent's own node gives no usable answer.
 * @throws {ApiError} When it is refused.
 * @throws {JourneyError} `SETUP_REVERTED` when the chain says so, and the service does not.
 * @throws {SetupPendingError} When it is signed and sent, and its outcome not known.
 */
export async function setUpWallet(
  agent: Agent,
  wallet: Address,
  node: Node,
  prepared: PrepareResponse,
): Promise<RelayedSetup> {
  const { client, signer, chain, addressBook = agentAddressBook, onProgress } = agent;
  const { maxSetupFeeWei, replaceDelegation = false } = agent;
  const expectations = {
    wallet,
    chain,
    walletCode: await node.codeOf(wallet),
    replaceDelegation,
    ...(maxSetupFeeWei !== undefined && { maxFeeWei: maxSetupFeeWei }),
  };
  const verified = accepted(verifySetup(prepared, expectations, { addressBook }));
  // Another thing about a setup that its documents cannot show.
  await node.requireKnownModules(wallet, addressBook);
  for (const line of verified.summary) onProgress?.(line);
  const signedRawTx = await signSetup(signer, verified, await node.nonceOf(wallet));
  const relayed = await submitSetup(client, node, verified, signedRawTx);
  onProgress?.(`Set up in transaction ${relayed.txHash}`);
  return relayed;
}
