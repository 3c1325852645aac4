import type { SetupChain, SetupSubmission } from '../ports.js';
import { readReceipt } from './read-receipt.js';

/**
 * Tell whether a transaction was confirmed on a fork that is gone. A managed fork may be recreated at any time, and
 * what wallets did on it is then undone. The same bytes may have been mined again since, in another block.
 *
 * @throws {ForkNotRunningError} when the fork does not answer
 */
export async function isLostWithFork(
  chain: SetupChain | undefined,
  { txHash, response }: SetupSubmission,
): Promise<boolean> {
  if (chain?.relayMode !== 'managed-fork' || !response) return false;
  const receipt = await readReceipt(chain, txHash);
  return receipt?.blockNumber.toString() !== response.blockNumber;
}
