import { ForksNotConfiguredError } from '@yield-vault/protocol';
import type { ChainConfig } from './config/chain-schema.js';

/**
 * Check that the wallets of each chain can act: a chain of the relay mode `managed-fork` needs configured forks.
 *
 * @throws {ForksNotConfiguredError} with `details.chain`
 */
export function requireForks(
  chains: readonly (Pick<ChainConfig, 'relayMode'> & { readonly key: string })[],
  areConfigured: boolean,
): void {
  const managed = chains.find(({ relayMode }) => relayMode === 'managed-fork');
  if (areConfigured || managed === undefined) return;
  throw new ForksNotConfiguredError({
    detail: `Wallets act on a managed fork of ${managed.key}, and no forks are configured.`,
    details: { chain: managed.key },
  });
}
