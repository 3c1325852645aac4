import { addressBook, otherVault, usdc, vault } from '../../test/support/book.js';
import {
  buildPrepared,
  deposit,
  depositPrevious,
  redeem,
  redeemAll,
} from '../../test/support/build-prepared.js';
import { vaultIdOf } from '@yield-vault/protocol';
import type { Address } from 'viem';
import { FlowError } from '../errors.js';
import { accepted } from '../verify/result.js';
import { describeEnvelope } from '../verify/verify-envelope.js';
import {
  expectedOperation,
  findToken,
  narrowToTarget,
  prepareFields,
  requireReachableMinimums,
  type Circumstances,
} from './expected-operation.js';
import type { WalletNode } from './wallet-node.js';

// A share is worth two: the position of the wallet is 10 shares.
const node = {
  sharesOf: () => Promise.resolve(10_000_000n),
  sharesFor: (assets) => Promise.resolve(assets / 2n),
  assetsFor: (shares) => Promise.resolve(shares * 2n),
} as Partial<WalletNode> as WalletNode;
const token = { chainId: 8453, address: usdc, symbol: 'USDC', decimals: 6 };
const circumstances: Circumstances = {
  wallet: '0x0000000000000000000000000000000000000001',
  token,
  maxSlippageBps: 100,
  target: undefined,
};
const place = { vault, asset: 'USDC' } as const;

describe('expectedOperation', () => {
  it('default: a deposit is bounded by the vault’s current quote', async () => {
    const request = { operation: 'deposit', ...place, amount: '2.5' } as const;
    expect(await expectedOperation(request, circumstances, node)).toEqual({
      kind: 'deposit',
      vault,
      asset: usdc,
      amount: 2_500_000n,
      minShares: 1_237_500n,
    });
  });

  it.each([
    [12.5, { atMost: 1_250_000n }, 2_475_000n],
    [100, 'all', 19_800_000n],
  ])('default: a redeem of %d %%', async (percentage, shares, minAssets) => {
    const request = { operation: 'redeem', ...place, percentage } as const;
    expect(await expectedOperation(request, circumstances, node)).toEqual({
      kind: 'redeem',
      vault,
      asset: usdc,
      shares,
      minAssets,
    });
  });

  it('default: a rebalance goes to the service’s choice among the given targets', async () => {
    const request = { operation: 'rebalance', ...place, targets: [vault, otherVault] } as const;
    const moving = { ...circumstances, target: otherVault, maxSlippageBps: 0 } as const;
    expect(await expectedOperation(request, moving, node)).toEqual({
      kind: 'rebalance',
      from: vault,
      to: otherVault,
      asset: usdc,
      minAssets: 20_000_000n,
      minShares: 10_000_000n,
    });
  });

  it('error: NO_VAULT when the target was not named', async () => {
    const request = { operation: 'rebalance', ...place, targets: [vault] } as const;
    const moving = { ...circumstances, target: otherVault } as const;
    await expect(expectedOperation(request, moving, node)).rejects.toMatchObject({ code: 'NO_VAULT' });
  });

  it.each([
    [0n, 100],
    [3n, 10],
  ])('error: NO_POSITION with a balance of %d for %d %%', async (balance, percentage) => {
    const empty = { ...node, sharesOf: () => Promise.resolve(balance) };
    const request = { operation: 'redeem', ...place, percentage } as const;
    const failed = expectedOperation(request, circumstances, empty);
    await expect(failed).rejects.toBeInstanceOf(FlowError);
    await expect(failed).rejects.toMatchObject({ code: 'NO_POSITION' });
  });

  it('error: an amount finer than the token', async () => {
    const request = { operation: 'deposit', ...place, amount: '0.0000001' } as const;
    await expect(expectedOperation(request, circumstances, node)).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
    });
  });
});

describe('narrowToTarget', () => {
  const request = { operation: 'rebalance', ...place, targets: [vault, otherVault] } as const;
  const named = (target: Address) => ({ target: { vaultId: vaultIdOf(8453, target) } });

  it('default: the target that the service named', () => {
    expect(narrowToTarget(request, 8453, named(otherVault))).toEqual({
      operation: 'rebalance',
      ...place,
      target: otherVault,
    });
  });

  it.each([
    [
      'another than the requested one',
      { operation: 'rebalance', ...place, target: vault } as const,
      named(otherVault),
    ],
    ['the source', request, named(vault)],
    ['one that is not allowed', request, named('0x3000000000000000000000000000000000000005')],
    ['none', request, {}],
  ])('attack: the service names %s', (_, asked, prepared) => {
    expect(() => narrowToTarget(asked, 8453, prepared)).toThrow(
      expect.objectContaining({ code: 'NO_VAULT' }),
    );
  });
});

it.each([
  [{ target: otherVault }, { targetVaultId: vaultIdOf(8453, otherVault) }],
  [
    { targets: [otherVault], strategy: 'minimize_risk', riskTolerance: 'low' },
    { strategy: 'minimize_risk', riskTolerance: 'low' },
  ],
] as const)('prepareFields: a rebalance says where it goes', (choice, steering) => {
  const fields = prepareFields({ operation: 'rebalance', ...place, ...choice }, 8453);
  expect(fields).toEqual({ operation: 'rebalance', asset: 'USDC', ...steering });
});

describe('requireReachableMinimums', () => {
  const { wallet } = circumstances;
  it.each([
    [
      'deposit',
      'minShares',
      2_500_000n,
      (minShares: bigint) => [{ ...deposit, amount: 5_000_000n, minShares }],
    ],
    // Fewer shares than the wallet holds bring less.
    ['redeem', 'minAssets', 8n, (minAssets: bigint) => [{ ...redeem, shares: 4n, minAssets }]],
    ['redeem of everything', 'minAssets', 20_000_000n, (minAssets: bigint) => [{ ...redeemAll, minAssets }]],
    [
      'rebalance',
      'minShares',
      10_000_000n,
      (minShares: bigint) => [
        { ...redeemAll, minAssets: 1n },
        { ...depositPrevious, minShares },
      ],
    ],
  ])('error: the minimum of a %s is above the quote', async (_, name, quote, hooksWith) => {
    const verify = (minimum: bigint) => {
      const envelope = buildPrepared({ hooks: hooksWith(minimum) });
      const { effects } = accepted(describeEnvelope(envelope, { addressBook }));
      return requireReachableMinimums(effects, wallet, node);
    };
    await verify(quote);
    await expect(verify(quote + 1n)).rejects.toMatchObject({
      reason: 'MINIMUM_TOO_HIGH',
      detail: expect.stringContaining(`${name} is ${quote + 1n}, above ${quote}, `) as string,
    });
  });
});

describe('findToken', () => {
  it('default: the token of a symbol on a chain, in any case', () => {
    expect(findToken(addressBook, 'base', 'usdc')).toMatchObject({
      address: usdc,
      chainId: 8453,
      decimals: 6,
    });
  });

  it.each([
    ['UNKNOWN_CHAIN', 'elsewhere', 'USDC'],
    ['UNKNOWN_ASSET', 'base', 'FAKE'],
  ])('error: %s', (code, chain, asset) => {
    expect(() => findToken(addressBook, chain, asset)).toThrow(expect.objectContaining({ code }));
  });
});
