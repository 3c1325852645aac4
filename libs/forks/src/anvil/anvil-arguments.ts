import type { ForkChain } from '../types.js';

// Past states that stay readable: ephemeral forks of a persistent one read its last blocks.
const statesKept = 64;

/**
 * Choose the arguments of Anvil for a fork.
 *
 * @param upstreamUrl - where it reads the chain
 * @param block - on which it stands; without one, on the newest of which it is told
 */
export function anvilArguments(
  chain: Pick<ForkChain, 'chainId' | 'opStack'>,
  upstreamUrl: string,
  block?: bigint,
): readonly string[] {
  return [
    // Its ten accounts would cost forty requests at the start.
    ...['--accounts', '0'],
    ...['--fork-url', upstreamUrl],
    // The one is taken only with the other.
    ...(block === undefined
      ? []
      : ['--fork-block-number', String(block), '--fork-chain-id', String(chain.chainId)]),
    // The cache on disk is keyed by number: after a reorganisation, or on a restarted local chain, it lies.
    ...['--no-storage-caching', '--no-rate-limit', '--retries', '1', '--timeout', '20000'],
    // The state of a long-lived fork is loaded in one request.
    '--no-request-size-limit',
    // Without it every past state goes to disk, 0.2 MB for each block.
    ...['--prune-history', String(statesKept)],
    ...(chain.opStack ? ['--network', 'optimism'] : []),
  ];
}
