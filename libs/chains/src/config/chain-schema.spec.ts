import { contractAddresses, knownChains } from '@yield-vault/contracts';
import { testAccount } from '@yield-vault/testing';
import { chainSchema } from './chain-schema.js';

const parse = (settings: object) =>
  chainSchema.parse({
    rpcUrls: ['http://127.0.0.1:1'],
    paymaster: { kind: 'own', owner: testAccount('owner').address },
    ...settings,
  });

const unknownChain = {
  name: 'Chain',
  explorerUrl: 'https://explorer.example',
  usdc: testAccount('usdc').address,
  paymaster: { kind: 'own', address: testAccount('paymaster').address },
};

describe('chainSchema', () => {
  it.each(knownChains)('default: $key needs no more than its id and a node', (facts) => {
    const { chainId, name, explorerUrl, usdc, l1FeeOracle } = facts;
    const { contracts, ...chain } = parse({ chainId });
    expect(chain).toMatchObject({ name, explorerUrl, usdc: usdc.address });
    expect(chain.fork.opStack).toBe(l1FeeOracle !== undefined);
    const owner = testAccount('owner').address;
    expect(contracts).toEqual({ ...contractAddresses(chainId, { owner }), paymasterRoles: { owner } });
  });

  it.each([
    [{ chainId: 8453 }, 1],
    [{ chainId: 1 }, 2],
    [{ ...unknownChain, chainId: 31_337 }, 2],
    [{ chainId: 1, relayMode: 'managed-fork' }, 0],
    [{ chainId: 1, confirmations: 12 }, 12],
    [{ chainId: 8453, confirmations: 0 }, 0],
  ])('default: the confirmations of %j', (settings, confirmations) => {
    expect(parse(settings).confirmations).toBe(confirmations);
  });
});
