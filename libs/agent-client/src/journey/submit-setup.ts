import { keccak256, type Hex } from 'viem';
import { JourneyError, SetupPendingError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { SetupRelayRequest } from '../types.js';
import type { VerifiedSetup } from '../verify/types.js';
import { isRefusal } from './is-refusal.js';
import { lookRepeatedly } from './look-repeatedly.js';
import type { Node } from './node.js';
import type { RelayedSetup } from './types.js';

/**
 * Have a signed setup relayed. Where the service leaves open what became of it, or refuses what an earlier attempt may
 * have got through, the agent's own node is asked.
 *
 * @throws {ApiError} When it is refused for good.
 * @throws {JourneyError} `SETUP_REVERTED` when the chain says so.
 * @throws {SetupPendingError} When it is not known what became of it.
 */
export async function submitSetup(
  client: AgentClient,
  node: Pick<Node, 'receiptOf'>,
  { setupType, setupTicket }: VerifiedSetup,
  signedRawTx: Hex,
): Promise<RelayedSetup> {
  const request: SetupRelayRequest = { setupTicket, signedRawTx };
  try {
    return await client.setupRelay(request);
  } catch (error) {
    if (isRefusal(error)) throw error;
    const txHash = keccak256(signedRawTx);
    const receipt = await lookRepeatedly(() => node.receiptOf(txHash).catch(() => undefined));
    if (!receipt) throw new SetupPendingError(request, txHash, error);
    const { status, blockNumber } = receipt;
    if (status === 'reverted')
      throw new JourneyError('SETUP_REVERTED', `The setup reverted in transaction ${txHash}.`, error);
    return { txHash, receiptStatus: status, blockNumber: blockNumber.toString(), setupType };
  }
}
