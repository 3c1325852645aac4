import { DepositCapReachedError, DepositsPausedError } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import { buildCatalogue } from '../test/build-catalogue.js';
import { chains, options } from '../test/build-request.js';
import { createIntentBuilder } from './prepare.js';
import type { DepositLimitsPort } from './types.js';

const source = buildRankedVault();
const target = buildRankedVault({
  vaultAddress: '0x4000000000000000000000000000000000000004',
  compositeScores: { maximize_apy: 1, minimize_risk: 1, balanced: 99 },
});
const agentAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const request = { chain: 'base', agentAddress, vaultId: source.vaultId } as const;
const deposit = { ...request, asset: 'USDC', amount: '25.5' } as const;
const rebalance = { ...request, operation: 'rebalance' } as const;

/** Prepare with these limits. The chain has no node, so nothing but a limit is reached. */
const prepare = (limits: DepositLimitsPort) =>
  createIntentBuilder({
    chains,
    vaults: buildCatalogue([target, source]),
    limits,
    options,
  });
const pauseOf = (vaultId: string): DepositLimitsPort => ({
  require: ({ vault }) =>
    vault.vaultId === vaultId
      ? Promise.reject(new DepositsPausedError({ detail: 'paused' }))
      : Promise.resolve(),
});

describe('limits of deposits', () => {
  it('error: DepositsPausedError for the vault that is deposited into; a redeem passes', async () => {
    const builder = prepare(pauseOf(source.vaultId));
    const ofTarget = prepare(pauseOf(target.vaultId));
    await expect(builder.prepare({ ...deposit, operation: 'deposit' })).rejects.toThrow(DepositsPausedError);
    await expect(builder.gaslessSetup(deposit)).rejects.toThrow(DepositsPausedError);
    await expect(ofTarget.prepare(rebalance)).rejects.toThrow(DepositsPausedError);
    const outage = { code: 'UPSTREAM_UNAVAILABLE' };
    await expect(builder.prepare(rebalance)).rejects.toMatchObject(outage);
    const redeem = builder.prepare({ ...request, operation: 'redeem', percentage: 100 });
    await expect(redeem).rejects.toMatchObject(outage);
  });

  it('error: DepositCapReachedError, by the amount in base units', async () => {
    const asked: object[] = [];
    const require: DepositLimitsPort['require'] = (planned) => {
      asked.push(planned);
      return Promise.reject(new DepositCapReachedError({ detail: 'full' }));
    };
    await expect(prepare({ require }).gaslessSetup(deposit)).rejects.toThrow(DepositCapReachedError);
    expect(asked).toEqual([{ vault: source, wallet: agentAddress, assets: 25_500_000n, isRebalance: false }]);
  });
});
