import type { ChainConfig, Deployment } from '@yield-vault/chains';

/**
 * Keep the chains that wallets can act on, as they see them: a managed fork stands in for its chain.
 *
 * @param forkUrlOf - address of the persistent fork of a chain; `undefined` where no forks are configured
 */
export function walletChains(
  { chains }: Pick<Deployment, 'chains'>,
  forkUrlOf: ((chain: string) => string) | undefined,
): Deployment['chains'] {
  const seen = Object.entries(chains).flatMap(([key, config]): [string, ChainConfig][] => {
    if (config.relayMode === 'chain') return [[key, config]];
    return forkUrlOf ? [[key, { ...config, rpcUrls: [forkUrlOf(key)] }]] : [];
  });
  return Object.fromEntries(seen);
}
