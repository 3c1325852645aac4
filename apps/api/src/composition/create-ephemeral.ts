import type { Deployment } from '@yield-vault/chains';
import {
  createEphemeralForks,
  type ForkLogger,
  type ForkProvider,
  type MeteredEphemeralForks,
} from '@yield-vault/forks';

// Age of the newest block of a real chain that a simulation takes for the newest. A failure is checked on a newer one.
const realChainHeadAgeMs = 1_000;
// A fork changes with each transaction, and asking it costs next to nothing.
const managedForkHeadAgeMs = 0;

/**
 * Make the forks on which signed intents are simulated: of what wallets act on.
 *
 * @param chains - as wallets see them
 * @returns `undefined` where preflight is off
 */
export function createEphemeral(
  { preflight, forks }: Pick<Deployment, 'preflight' | 'forks'>,
  chains: Deployment['chains'],
  managed: ForkProvider | undefined,
  logger: ForkLogger,
): MeteredEphemeralForks | undefined {
  if (preflight.mode === 'off') return undefined;
  return createEphemeralForks({
    chains: Object.entries(chains).map(([key, { chainId, rpcUrls, relayMode, fork }]) => ({
      key,
      chainId,
      opStack: fork.opStack,
      upstreamUrls: rpcUrls,
      maxHeadAgeMs: relayMode === 'chain' ? realChainHeadAgeMs : managedForkHeadAgeMs,
    })),
    options: { ...preflight, maxForks: forks.maxForks },
    ...(managed && { managed }),
    logger,
  });
}
