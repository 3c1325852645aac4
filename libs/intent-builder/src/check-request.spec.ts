import {
  AssetMismatchError,
  ChainNotActiveError,
  DataStaleError,
  InvalidParametersError,
  NoSuitableVaultsError,
  UnknownVaultError,
  type PrepareRequest,
  type RankedVault,
  type RebalanceSteering,
  type Vault,
} from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import { maxUint256 } from 'viem';
import { buildCatalogue } from '../test/build-catalogue.js';
import { chains, buildRequest } from '../test/build-request.js';
import { describeRequest, depositVaultOf, sharesOf, redeemsAll } from './request.js';
import { checkRequest, chooseTarget } from './check-request.js';
import type { CheckedRequest, VaultCatalogue } from './types.js';
import { expectThrown } from '../test/expect-error.js';

const vault = buildRankedVault();

const better = buildRankedVault({
  vaultAddress: '0x4000000000000000000000000000000000000004',
  compositeScores: { maximize_apy: 1, minimize_risk: 1, balanced: 99 },
});

const unlisted = buildRankedVault({
  vaultAddress: '0x5000000000000000000000000000000000000005',
  listed: false,
  exclusions: ['tvl_below_minimum'],
});

const elsewhere = buildRankedVault({ chain: 'ethereum', chainId: 1 });
const vaults = [better, vault, unlisted, elsewhere];

const deposit: PrepareRequest = {
  operation: 'deposit',
  chain: 'base',
  agentAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  vaultId: vault.vaultId,
  asset: 'USDC',
  amount: '25.5',
};

const redeem: PrepareRequest = { ...deposit, operation: 'redeem', asset: undefined, amount: undefined };
const rebalance: PrepareRequest = { ...redeem, operation: 'rebalance' };

const check = (request: PrepareRequest, isStale = false) =>
  checkRequest(request, chains, buildCatalogue(vaults, isStale));

const scored = (digit: number, balanced: number) =>
  buildRankedVault({
    vaultAddress: `0x${String(digit).repeat(40)}`,
    compositeScores: { maximize_apy: 100 - balanced, minimize_risk: 0, balanced },
  });

const source = scored(1, 50);

const target = buildRankedVault({
  vaultAddress: '0x4000000000000000000000000000000000000004',
  name: 'Better',
  compositeScores: { maximize_apy: 0, minimize_risk: 0, balanced: 81.23456 },
});

const short = {
  vaultName: 'Steady USDC',
  expectedAPY: 5,
  riskScore: 'low',
  apyNow: 5,
  riskLevel: 'low',
};

it('depositVaultOf: the vault of a deposit, the target of a rebalance, none for a redeem', () => {
  const request = buildRequest();
  expect(depositVaultOf(request)).toBe(request.vault);
  expect(depositVaultOf(buildRequest({ operation: 'rebalance', target }))).toBe(target);
  const redeem = buildRequest({ operation: 'redeem', amount: { percentage: 50 } });
  expect(depositVaultOf(redeem)).toBeUndefined();
});

it.each<[Partial<CheckedRequest>, bigint, boolean]>([
  [{ operation: 'deposit', assets: 5n }, 0n, false],
  [{ operation: 'redeem', amount: { shares: 7n } }, 7n, false],
  [{ operation: 'redeem', amount: { percentage: 33.3 } }, 333n, false],
  [{ operation: 'redeem', amount: { percentage: 100 } }, 1000n, true],
  [{ operation: 'rebalance', target: buildRankedVault() }, 1000n, true],
])('sharesOf and redeemsAll: $#', (parts, shares, all) => {
  expect(sharesOf(buildRequest(parts), 1000n)).toBe(shares);
  expect(redeemsAll(buildRequest(parts))).toBe(all);
});

describe('checkRequest', () => {
  it('default: deposit', () => {
    expect(check(deposit)).toMatchObject({
      wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      vault,
      operation: 'deposit',
      assets: 25_500_000n,
    });
  });

  it('default: redeem by shares and by percentage', () => {
    expect(check({ ...redeem, shares: '123' })).toMatchObject({
      operation: 'redeem',
      amount: { shares: 123n },
    });
    expect(check({ ...redeem, percentage: 0.5 })).toMatchObject({
      operation: 'redeem',
      amount: { percentage: 0.5 },
    });
  });

  it('default: rebalance', () => {
    expect(check({ ...redeem, operation: 'rebalance' })).toMatchObject({
      operation: 'rebalance',
      target: better,
    });
  });

  it('behavior: the asset is compared without case, and may be given with redeem and rebalance', () => {
    expect(check({ ...deposit, asset: 'usdc' }).vault).toBe(vault);
    expect(check({ ...redeem, asset: 'Usdc', percentage: 1 }).vault).toBe(vault);
    expect(check({ ...redeem, operation: 'rebalance', asset: 'USDC' }).vault).toBe(vault);
  });

  it('behavior: addresses in upper case', () => {
    const agentAddress = `0x${deposit.agentAddress.slice(2).toUpperCase()}` as const;
    expect(check({ ...deposit, agentAddress }).wallet).toBe('0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
  });

  it.each<[string, PrepareRequest, string[]]>([
    ['deposit without amount', { ...deposit, amount: undefined }, ['amount']],
    ['deposit with shares', { ...deposit, shares: '1' }, ['shares']],
    ['redeem with amount', { ...redeem, shares: '1', amount: '1' }, ['amount']],
    ['redeem without either', redeem, ['shares']],
    ['redeem with both', { ...redeem, shares: '1', percentage: 1 }, ['shares']],
    ['zero shares', { ...redeem, shares: '0' }, ['shares']],
    ['a fraction of a share', { ...redeem, shares: '1.5' }, ['shares']],
    ['the number that means all', { ...redeem, shares: maxUint256.toString() }, ['shares']],
    ['a number without end', { ...redeem, shares: '9'.repeat(100_000) }, ['shares']],
    ['zero percent', { ...redeem, percentage: 0 }, ['percentage']],
    ['more than everything', { ...redeem, percentage: 100.01 }, ['percentage']],
    ['no number', { ...redeem, percentage: NaN }, ['percentage']],
    ['rebalance with shares', { ...redeem, operation: 'rebalance', shares: '1' }, ['shares']],
    ['more decimals than the asset has', { ...deposit, amount: '1.0000001' }, ['amount']],
    ['several at once', { ...deposit, shares: '1', percentage: 1 }, ['shares', 'percentage']],
  ])('error: InvalidParametersError for %s', (_, request, fields) => {
    const violations = fields.map((field) => expect.objectContaining({ field }));
    expectThrown(InvalidParametersError, () => check(request), { violations });
  });

  it.each<[string, PrepareRequest, RebalanceSteering, string[]]>([
    ['a deposit', deposit, { targetVaultId: '1', strategy: 'balanced' }, ['targetVaultId', 'strategy']],
    ['a redeem', { ...redeem, percentage: 1 }, { riskTolerance: 'low' }, ['riskTolerance']],
    ['two ways', rebalance, { targetVaultId: target.vaultId, riskTolerance: 'low' }, ['riskTolerance']],
    ['the vault to leave', rebalance, { targetVaultId: vault.vaultId }, ['targetVaultId']],
  ])('error: InvalidParametersError for steering: %s', (_, request, steering, fields) => {
    const violations = fields.map((field) => expect.objectContaining({ field }));
    expectThrown(
      InvalidParametersError,
      () => checkRequest(request, chains, buildCatalogue(vaults), steering),
      { violations },
    );
  });

  it('error: ChainNotActiveError', () => {
    expect(() => check({ ...deposit, chain: 'moon' })).toThrow(ChainNotActiveError);
  });

  it('error: UnknownVaultError for no vault, and for one of another chain', () => {
    expect(() => check({ ...deposit, vaultId: '1' })).toThrow(UnknownVaultError);
    expect(() => check({ ...deposit, vaultId: elsewhere.vaultId })).toThrow(UnknownVaultError);
  });

  it.each<PrepareRequest>([
    { ...deposit, asset: 'WETH' },
    { ...redeem, asset: 'WETH', percentage: 1 },
    { ...redeem, operation: 'rebalance', asset: 'WETH' },
  ])('error: AssetMismatchError with $operation', (request) => {
    expect(() => check(request)).toThrow(AssetMismatchError);
  });

  it('error: DataStaleError, but a redeem is always possible', () => {
    expect(() => check(deposit, true)).toThrow(DataStaleError);
    expect(() => check({ ...redeem, operation: 'rebalance' }, true)).toThrow(DataStaleError);
    expect(check({ ...redeem, percentage: 100 }, true).vault).toBe(vault);
  });

  it('error: NoSuitableVaultsError for a deposit into an unlisted vault, which a redeem accepts', () => {
    expectThrown(NoSuitableVaultsError, () => check({ ...deposit, vaultId: unlisted.vaultId }), {
      vaultId: unlisted.vaultId,
      exclusions: ['tvl_below_minimum'],
    });
    expect(check({ ...redeem, vaultId: unlisted.vaultId, percentage: 100 }).vault).toBe(unlisted);
  });
});

describe('chooseTarget', () => {
  it('default: the best other vault', () => {
    expect(
      chooseTarget(source, buildCatalogue([scored(3, 90), scored(2, 60), source])).target.vaultAddress,
    ).toMatch(/^0x3/);
    expect(chooseTarget(source, buildCatalogue([source, scored(2, 51)])).target.vaultAddress).toMatch(/^0x2/);
  });

  it.each([
    ['a worse one', [source, scored(2, 49)], true],
    ['an equal one', [source, scored(2, 50)], true],
    ['none', [source], false],
  ])('error: NoSuitableVaultsError when there is only %s', (_, vaults, hasTarget) => {
    const target = hasTarget ? expect.objectContaining({ vaultId: vaults[1]?.vaultId }) : null;
    expectThrown(NoSuitableVaultsError, () => chooseTarget(source, buildCatalogue(vaults)), {
      reason: hasTarget ? 'ALREADY_BEST' : 'NO_CANDIDATE',
      source: expect.objectContaining({ vaultId: source.vaultId, compositeScore: 50 }),
      target,
    });
  });

  it('behavior: scores are rounded as in discover, and compared unrounded', () => {
    const better = scored(2, 50.123457);
    const vaults = buildCatalogue([better, source]);
    expect(chooseTarget(scored(1, 50.123456), vaults).target).toBe(better);
    expect(() => chooseTarget(scored(1, 50.123458), vaults)).toThrow(
      expect.objectContaining({
        details: {
          reason: 'ALREADY_BEST',
          source: expect.objectContaining({ compositeScore: 50.12 }),
          target: expect.objectContaining({ compositeScore: 50.12 }),
        },
      }),
    );
  });

  it('behavior: another token of the same symbol is another asset', () => {
    const asset = { ...source.asset, address: source.vaultAddress };
    const bridged = { ...scored(3, 90), asset };
    expect(chooseTarget(source, buildCatalogue([bridged, scored(2, 60)])).target.vaultAddress).toMatch(
      /^0x2/,
    );
    expect(() => chooseTarget(source, buildCatalogue([bridged]))).toThrow(NoSuitableVaultsError);
  });

  it('behavior: goes to the vault that the request names, also to one that ranks lower', () => {
    const named = scored(2, 1);
    const vaults = buildCatalogue([scored(3, 90), named, source]);
    expect(chooseTarget(source, vaults, { targetVaultId: named.vaultId }).target).toBe(named);
  });

  it.each<[string, Partial<RankedVault>, string]>([
    ['another asset', { asset: { ...source.asset, address: source.vaultAddress } }, 'ASSET_MISMATCH'],
    ['no deposits', { listed: false, exclusions: ['no-exit'] }, 'NO_SUITABLE_VAULTS'],
    ['another chain', { chain: 'ethereum' }, 'UNKNOWN_VAULT'],
  ])('error: a named target with %s is refused', (_, change, code) => {
    const named = { ...scored(2, 90), ...change };
    const attempt = () =>
      chooseTarget(source, buildCatalogue([named, source]), { targetVaultId: named.vaultId });
    expect(attempt).toThrow(expect.objectContaining({ code }));
  });

  it('behavior: ranks by the strategy, within the risk tolerance', () => {
    const safe = { ...scored(2, 10), compositeScores: { maximize_apy: 10, balanced: 10, minimize_risk: 90 } };
    const risky = { ...scored(3, 90), risk: { ...source.risk, level: 'high' } } as const;
    const vaults: VaultCatalogue = {
      ...buildCatalogue([safe, risky, source]),
      best: (_, __, by) =>
        [safe, risky, source].sort((a, b) => b.compositeScores[by] - a.compositeScores[by]),
    };
    expect(chooseTarget(source, vaults).target).toBe(risky);
    expect(chooseTarget(source, vaults, { strategy: 'minimize_risk' })).toMatchObject({
      target: safe,
      strategy: 'minimize_risk',
    });
    expect(() => chooseTarget(source, vaults, { riskTolerance: 'medium' })).toThrow(NoSuitableVaultsError);
    // The source itself is not tolerated, so it cannot be the best one.
    expect(chooseTarget(risky, vaults, { riskTolerance: 'medium' }).target).toBe(source);
  });

  it('error: NoSuitableVaultsError where the catalogue cannot rank', () => {
    expect(() => chooseTarget(source, { find: () => undefined, isStale: () => false })).toThrow(
      NoSuitableVaultsError,
    );
  });
});

const { vaultId, vaultAddress, chain, chainId, name, protocol, asset, shareDecimals } = vault;
/** A vault without measured numbers. */
const plain: Vault = { vaultId, vaultAddress, chain, chainId, name, protocol, asset, shareDecimals };
const ofPlain: VaultCatalogue = { find: () => plain, isStale: () => false };

describe('a plain vault', () => {
  const request = { chain: 'base', agentAddress: buildRequest().wallet, vaultId };

  it('default: a deposit and a redeem need no measured numbers, and describe none', () => {
    const deposit = checkRequest({ ...request, operation: 'deposit', amount: '25' }, chains, ofPlain);
    expect(deposit).toMatchObject({ vault: plain, assets: 25_000_000n });
    expect(describeRequest(deposit)).toEqual({
      setup: { operation: 'deposit' },
      execution: { operation: 'deposit' },
    });
    const redeem = checkRequest({ ...request, operation: 'redeem', percentage: 50 }, chains, ofPlain);
    expect(describeRequest(redeem).execution).toEqual({ operation: 'redeem' });
  });

  it('error: NoSuitableVaultsError, for a rebalance, which compares scores', () => {
    expect(() => checkRequest({ ...request, operation: 'rebalance' }, chains, ofPlain)).toThrow(
      NoSuitableVaultsError,
    );
  });
});

describe('describeRequest', () => {
  it('default: deposit', () => {
    const { setup, execution } = describeRequest(buildRequest({ vault }));
    expect(setup).toEqual({ operation: 'deposit', strategy: short });
    expect(execution).toEqual({
      operation: 'deposit',
      strategy: { ...short, protocol: 'Local', chain: 'base', tvl: 25_000_000 },
    });
  });

  it('behavior: redeem has a strategy with a setup only', () => {
    const redeem = buildRequest({ vault, operation: 'redeem', amount: { percentage: 5 } });
    const { setup, execution } = describeRequest(redeem);
    expect(setup).toEqual({ operation: 'redeem', strategy: short });
    expect(execution).toEqual({ operation: 'redeem' });
  });

  it('behavior: rebalance describes its target, and both vaults', () => {
    const { setup, execution } = describeRequest(
      buildRequest({ vault, operation: 'rebalance', target, strategy: 'balanced' }),
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
