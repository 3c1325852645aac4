import { buildListedVault } from '@yield-vault/testing';
import { buildOrder } from '../../test/build-order.js';
import { describeOrder } from './describe-order.js';

const vault = buildListedVault();
const target = buildListedVault({
  vaultAddress: '0x4000000000000000000000000000000000000004',
  name: 'Better',
  compositeScores: { maximize_apy: 0, minimize_risk: 0, balanced: 81.23456 },
});
const short = { vaultName: 'Steady USDC', expectedAPY: 5, riskScore: 'low' };

describe('describeOrder', () => {
  it('default: deposit', () => {
    const { setup, execution } = describeOrder(buildOrder({ vault }));
    expect(setup).toEqual({ operation: 'deposit', strategy: short });
    expect(execution).toEqual({
      operation: 'deposit',
      strategy: { ...short, protocol: 'Local', chain: 'base', tvl: 25_000_000 },
    });
  });

  it('behavior: redeem has a strategy with a setup only', () => {
    const instruction = { operation: 'redeem', amount: { percentage: 5 } } as const;
    const { setup, execution } = describeOrder(buildOrder({ vault, instruction }));
    expect(setup).toEqual({ operation: 'redeem', strategy: short });
    expect(execution).toEqual({ operation: 'redeem' });
  });

  it('behavior: rebalance describes its target, and both vaults', () => {
    const { setup, execution } = describeOrder(
      buildOrder({ vault, instruction: { operation: 'rebalance', target } }),
    );
    const source = {
      vaultId: vault.vaultId,
      vaultName: vault.name,
      apy: vault.apy,
      risk: vault.risk,
      tvlUsd: vault.tvlUsd,
    };
    const both = {
      operation: 'rebalance',
      source,
      target: { ...source, vaultId: target.vaultId, vaultName: 'Better', compositeScore: 81.23 },
    };
    expect(setup).toEqual({ ...both, strategy: { ...short, vaultName: 'Better' } });
    expect(execution).toMatchObject({ ...both, strategy: { vaultName: 'Better', tvl: 25_000_000 } });
  });
});
