import { vaultIdOf } from '@yield-vault/protocol';
import { isAddress, isAddressEqual, type Address } from 'viem';
import { JourneyError } from '../errors.js';
import type { DiscoverRequest, VaultCandidate } from '../types.js';
import type { BookToken } from '../verify/types.js';
import type { Agent } from './types.js';

const mostCandidates = 20;

/** What the agent looks for. */
export interface Wish extends Pick<DiscoverRequest, 'strategy' | 'riskTolerance' | 'minApy'> {
  /** Vaults that it has looked at itself: no other is chosen. Without them the service's ranking is trusted. */
  readonly vaults?: readonly Address[] | undefined;
}

/**
 * Choose the best vault of an asset among those that the agent accepts.
 *
 * @throws {JourneyError} `NO_VAULT` when there is none.
 */
export async function chooseVault(
  { client, chain }: Pick<Agent, 'client' | 'chain'>,
  { vaults: accepted, ...filters }: Wish,
  { chainId, symbol }: BookToken,
): Promise<VaultCandidate> {
  const { vaults } = await client.discover({ chain, asset: symbol, ...filters, limit: mostCandidates });
  const best = vaults.find(
    ({ vaultId, vaultAddress }) =>
      // Whatever has a wrong checksum is no address of the service.
      isAddress(vaultAddress) &&
      vaultId === vaultIdOf(chainId, vaultAddress) &&
      (accepted?.some((one) => isAddressEqual(one, vaultAddress)) ?? true),
  );
  if (!best) throw new JourneyError('NO_VAULT', `No vault for ${symbol} on ${chain} fits.`);
  return best;
}
