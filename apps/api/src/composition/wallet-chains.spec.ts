import type { ChainConfig } from '@yield-vault/chains';
import { walletChains } from './wallet-chains.js';

const config = (relayMode: ChainConfig['relayMode'], rpcUrl: string) =>
  ({ relayMode, rpcUrls: [rpcUrl], name: rpcUrl }) as unknown as ChainConfig;
const base = config('managed-fork', 'http://base.example');
const ethereum = config('chain', 'http://ethereum.example');
const deployment = { chains: { base, ethereum } };

describe('walletChains', () => {
  it('default: a managed fork stands in for its chain', () => {
    const urlOf = (chain: string) => `http://forks.example/rpc/${chain}`;
    expect(walletChains(deployment, urlOf)).toEqual({
      base: { ...base, rpcUrls: ['http://forks.example/rpc/base'] },
      ethereum,
    });
  });

  it('behavior: without forks, a chain that needs one is nothing wallets can act on', () => {
    expect(walletChains(deployment, undefined)).toEqual({ ethereum });
  });
});
