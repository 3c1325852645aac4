import { ChainNotActiveError, ForksNotConfiguredError } from '@yield-vault/protocol';
import { buildChainConfig } from '../test/build-chain-config.js';
import { createActiveChains, walletChains } from './active-chains.js';

const chains = createActiveChains({
  chains: {
    base: buildChainConfig(),
    ethereum: buildChainConfig({ chainId: 1, bundlerUrls: ['http://127.0.0.1:2'] }),
  },
});

describe('createActiveChains', () => {
  it('default', () => {
    expect(chains.keys).toEqual(['base', 'ethereum']);
    expect(chains.find('base')?.chainId).toBe(8453);
    expect(chains.findById(1)?.key).toBe('ethereum');
    expect(chains.require('base').rpc.chain?.id).toBe(8453);
    expect(chains.require('base').bundler).toBeUndefined();
    expect(chains.require('ethereum').bundler).toBeDefined();
  });

  it('behavior: links to the explorer', () => {
    expect(chains.require('base').explorerTxUrl('0xab')).toBe('https://explorer.example/tx/0xab');
  });

  it('behavior: two clients of one chain have two names for the observer', () => {
    const seen: string[] = [];
    const observer = { onCall: () => undefined, onBreaker: (name: string) => void seen.push(name) };
    const deployment = { chains: { base: buildChainConfig() } };
    createActiveChains(deployment, { observer });
    createActiveChains(deployment, { observer, observedAs: 'wallet-rpc' });
    expect(seen).toEqual(['rpc:base', 'wallet-rpc:base']);
  });

  it('behavior: each bundler has a name of its own', () => {
    const bundlerUrls = ['http://127.0.0.1:2', 'http://127.0.0.1:3'];
    const { bundlers } = createActiveChains({ chains: { base: buildChainConfig({ bundlerUrls }) } }).require(
      'base',
    );
    expect(bundlers.map(({ name }) => name)).toEqual(['bundler:base', 'bundler:base:2']);
  });

  it('error: ChainNotActiveError', () => {
    expect(chains.find('toString')).toBeUndefined();
    expect(chains.findById(10)).toBeUndefined();
    const attempt = () => chains.require('moon');
    expect(attempt).toThrow(ChainNotActiveError);
    expect(attempt).toThrow(expect.objectContaining({ details: { supportedChains: ['base', 'ethereum'] } }));
  });
});

describe('walletChains', () => {
  const configs = {
    base: buildChainConfig({ relayMode: 'managed-fork', maxHeadAgeSeconds: 60 }),
    ethereum: buildChainConfig({ chainId: 1 }),
  };

  it('default: a managed fork stands in for its chain', () => {
    const { maxHeadAgeSeconds: _, ...fork } = configs.base;
    expect(walletChains(configs, { rpcUrl: (key) => `http://forks.example/rpc/${key}` })).toEqual({
      base: { ...fork, rpcUrls: ['http://forks.example/rpc/base'] },
      ethereum: configs.ethereum,
    });
  });

  it('error: ForksNotConfiguredError of every access to a chain that lacks its fork', () => {
    const wallets = createActiveChains({ chains: walletChains(configs, undefined) });
    expect(wallets.keys).toEqual(['base', 'ethereum']);
    expect([wallets.find('base'), wallets.find('ethereum')?.key]).toEqual([undefined, 'ethereum']);
    const [base] = wallets.all;
    expect([base!.bundler, base!.bundlers, base!.nodes]).toEqual([undefined, [], []]);
    for (const access of [() => base!.rpc, () => wallets.require('base'), () => wallets.findById(8453)])
      expect(access).toThrow(ForksNotConfiguredError);
    expect(() => base!.rpc).toThrow(expect.objectContaining({ details: { chain: 'base' } }));
  });
});
