import type { DevnetChain } from '@yield-vault/devnet';
import type { Published } from '../global-setup.js';

export type DevnetChains = Readonly<Record<'ethereum' | 'base', DevnetChain>>;

/** The devnet that the global setup started; wallets act on the chains themselves. */
export function devnetChains(): DevnetChains {
  return byKey(published().chains);
}

/** The same chains with wallets on their persistent forks. */
export function forkedChains(): DevnetChains {
  return byKey(published().forked);
}

/** The fork service of `forkedChains`; it keeps nothing on disk. */
export function sharedForkService(): Published['forkService'] {
  return published().forkService;
}

/** The URL of a server that all files share. */
export function sharedServer(name: keyof Published['servers']): string {
  return published().servers[name];
}

function byKey(chains: readonly DevnetChain[]): DevnetChains {
  return Object.fromEntries(chains.map((chain) => [chain.key, chain])) as DevnetChains;
}

function published(): Published {
  const text = process.env['E2E_PUBLISHED'];
  if (!text) throw new Error('The devnet is not running: its global setup did not run');
  return JSON.parse(text) as Published;
}
