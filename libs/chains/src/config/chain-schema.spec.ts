import { testAccount } from '@yield-vault/testing';
import { chainSchema } from './chain-schema.js';

const parse = (settings: object) =>
  chainSchema.parse({
    name: 'Chain',
    rpcUrls: ['http://127.0.0.1:1'],
    explorerUrl: 'https://explorer.example',
    usdc: testAccount('usdc').address,
    contracts: { paymasterOwner: testAccount('owner').address },
    ...settings,
  });

describe('chainSchema', () => {
  it.each([
    [{ chainId: 8453 }, 1],
    [{ chainId: 1 }, 2],
    [{ chainId: 10 }, 2],
    [{ chainId: 1, relayMode: 'managed-fork' }, 0],
    [{ chainId: 1, confirmations: 12 }, 12],
    [{ chainId: 8453, confirmations: 0 }, 0],
  ])('default: the confirmations of %j', (settings, confirmations) => {
    expect(parse(settings).confirmations).toBe(confirmations);
  });
});
