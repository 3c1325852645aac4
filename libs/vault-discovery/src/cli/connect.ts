import { createPublicClient, http, type PublicClient } from 'viem';
import { CommandFailure } from './outcome.js';

const timeoutMs = 20_000;
const retryCount = 2;

/**
 * Connect to the node of a chain.
 *
 * @param expected - id that the chain has in the registry; undefined when nobody knows
 * @throws {CommandFailure} when the node serves another chain
 */
export async function connect(
  chain: string,
  url: string,
  expected: number | undefined,
): Promise<{ readonly rpc: PublicClient; readonly chainId: number }> {
  const rpc = createPublicClient({ transport: http(url, { timeout: timeoutMs, retryCount }) });
  const chainId = await rpc.getChainId();
  if (expected !== undefined && chainId !== expected)
    throw new CommandFailure(
      `the RPC of ${chain} serves chain ${chainId}, and ${chain} is chain ${expected}`,
    );
  return { rpc, chainId };
}
