import type { PrepareResponse } from '@yield-vault/protocol';
import { keccak256, type Address, type Hex } from 'viem';
import { FlowError, SetupPendingError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { isRefusal } from '../http/read-response.js';
import { signSetup } from '../sign/sign-setup.js';
import type { SetupRelayRequest } from '../types.js';
import type { VerifiedSetup } from '../verify/verify-setup.js';
import type { Agent, RelayedSetup } from './types.js';
import { verifyPreparedSetup } from './verify-with-node.js';
import { poll, type WalletNode } from './wallet-node.js';

/**
 * Verify the setup of a prepare response, sign it and relay it.
 *
 * @throws {VerificationError} when it is no setup of the address book, or replaces another delegation; nothing is signed
 * @throws {UnknownModulesError} when it would activate unknown modules; nothing is signed
 * @throws {NodeFailedError} when the agent's own node fails
 * @throws {ApiError} when the service refuses
 * @throws {FlowError} `SETUP_REVERTED` when the chain shows it
 * @throws {SetupPendingError} when it is signed and sent, and its outcome unknown
 */
export async function setUpWallet(
  agent: Agent,
  wallet: Address,
  node: WalletNode,
  prepared: PrepareResponse,
): Promise<RelayedSetup> {
  const { client, signer, onProgress } = agent;
  const verified = await verifyPreparedSetup(agent, { wallet, node }, prepared);
  onProgress?.({ type: 'setup-verified', verified });
  const signedRawTx = await signSetup(signer, verified, await node.nonceOf(wallet));
  const setup = await submitSetup(client, node, verified, signedRawTx);
  onProgress?.({ type: 'setup-relayed', setup });
  return setup;
}

/** Relay a signed setup. When the outcome is open, read it from the agent's own node. */
async function submitSetup(
  client: AgentClient,
  node: Pick<WalletNode, 'receiptOf'>,
  { setupType, setupTicket }: VerifiedSetup,
  signedRawTx: Hex,
): Promise<RelayedSetup> {
  const request: SetupRelayRequest = { setupTicket, signedRawTx };
  try {
    return await client.setupRelay(request);
  } catch (error) {
    if (isRefusal(error)) throw error;
    const txHash = keccak256(signedRawTx);
    const receipt = await poll(() => node.receiptOf(txHash).catch(() => undefined));
    if (!receipt) throw new SetupPendingError(request, txHash, error);
    const { status, blockNumber } = receipt;
    if (status === 'reverted')
      throw new FlowError('SETUP_REVERTED', `The setup reverted in transaction ${txHash}.`, error);
    return { txHash, receiptStatus: status, blockNumber: blockNumber.toString(), setupType };
  }
}
