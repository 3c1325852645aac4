import type { Deployment } from '@yield-vault/chains';

/**
 * Where callers reach the persistent fork of a chain.
 *
 * @param urlOf - where this server reaches it
 * @returns `undefined` where they are not told
 */
export function publicForkUrl(
  { testing }: Pick<Deployment, 'testing'>,
  urlOf: (chain: string) => string,
  chain: string,
): string | undefined {
  if (!testing.enabled) return undefined;
  const { publicRpcBaseUrl, publicRpcUrls } = testing;
  if (publicRpcBaseUrl !== undefined) return `${publicRpcBaseUrl}/rpc/${chain}`;
  return publicRpcUrls ? urlOf(chain) : undefined;
}
