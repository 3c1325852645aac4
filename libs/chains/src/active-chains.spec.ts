import { ChainNotActiveError } from '@yield-vault/protocol';
import { buildChainConfig } from '../test/build-chain-config.js';
import { createActiveChains } from './active-chains.js';

const chains = createActiveChains({
  chains: {
    base: buildChainConfig(),
    ethereum: buildChainConfig({ chainId: 1, bundlerUrl: 'http://127.0.0.1:2' }),
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

  it('error: ChainNotActiveError', () => {
    expect(chains.find('toString')).toBeUndefined();
    expect(chains.findById(10)).toBeUndefined();
    const attempt = () => chains.require('moon');
    expect(attempt).toThrow(ChainNotActiveError);
    expect(attempt).toThrow(expect.objectContaining({ details: { supportedChains: ['base', 'ethereum'] } }));
  });
});
