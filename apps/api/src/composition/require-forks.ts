import type { Deployment } from '@yield-vault/chains';
import { ForksNotConfiguredError } from '@yield-vault/protocol';
import type { Features } from '../ports.js';

type WalletFeatures = Pick<Features, 'intents' | 'setupRelay' | 'executionRelay' | 'positions'>;

/**
 * Say, in the words of the interface, that no forks are configured wherever wallets act on one.
 *
 * @param isConfigured - whether the deployment has forks
 * @returns the same features with methods that throw {ForksNotConfiguredError}
 */
export function requireForks(
  { intents, setupRelay, executionRelay, positions }: WalletFeatures,
  chains: Deployment['chains'],
  isConfigured: boolean,
): WalletFeatures {
  const managed = Object.entries(chains).filter(([, { relayMode }]) => relayMode === 'managed-fork');
  const requireFork = (isMeant: (key: string, chainId: number) => boolean): void => {
    const missing = isConfigured ? undefined : managed.find(([key, { chainId }]) => isMeant(key, chainId));
    if (!missing) return;
    const [chain] = missing;
    throw new ForksNotConfiguredError({
      detail: `Wallets act on a managed fork of ${chain}, and no forks are configured.`,
      details: { chain },
    });
  };

  return {
    intents: {
      prepare: async (request) => {
        requireFork((key) => key === request.chain);
        return intents.prepare(request);
      },
    },
    setupRelay: {
      ...setupRelay,
      relay: async (request) => {
        requireFork((_, chainId) => chainId === request.setupTicket.chainId);
        return setupRelay.relay(request);
      },
    },
    executionRelay: {
      ...executionRelay,
      execute: async (request) => {
        requireFork((_, chainId) => chainId === request.intentEnvelope.chainId);
        return executionRelay.execute(request);
      },
    },
    positions: {
      status: async (userAddress) => {
        requireFork(() => true);
        return positions.status(userAddress);
      },
    },
  };
}
