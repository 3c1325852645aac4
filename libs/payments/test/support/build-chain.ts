import { chainFacts } from '@yield-vault/contracts';
import type { PaymentChain } from '../../src/types.js';

/** Describe a chain that receives no request. */
export function buildChain(parts: Partial<PaymentChain> = {}): PaymentChain {
  const rpc = new Proxy({} as PaymentChain['rpc'], {
    get: (_, name) => () => {
      throw new Error(`the chain was asked ${String(name)}`);
    },
  });
  return {
    key: 'base',
    chainId: 8453,
    v1Network: 'base',
    asset: { address: chainFacts(8453).usdc.address, decimals: 6, name: 'USD Coin', version: '2' },
    rpc,
    ...parts,
  };
}

/** Base and, in v2 alone, Ethereum. */
export const twoChains = [
  buildChain(),
  buildChain({
    key: 'ethereum',
    chainId: 1,
    v1Network: undefined,
    asset: { address: chainFacts(1).usdc.address, decimals: 6, name: 'USD Coin', version: '2' },
  }),
];
