import {
  AssetMismatchError,
  ChainNotActiveError,
  DataStaleError,
  InvalidParametersError,
  NoSuitableVaultsError,
  UnknownVaultError,
  type PrepareRequest,
} from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import { maxUint256 } from 'viem';
import { buildCatalogue } from '../../test/build-catalogue.js';
import { chains } from '../../test/build-order.js';
import { checkRequest } from './check-request.js';

const vault = buildListedVault();
const better = buildListedVault({
  vaultAddress: '0x4000000000000000000000000000000000000004',
  compositeScores: { maximize_apy: 1, minimize_risk: 1, balanced: 99 },
});
const unlisted = buildListedVault({
  vaultAddress: '0x5000000000000000000000000000000000000005',
  listed: false,
  exclusions: ['tvl_below_minimum'],
});
const elsewhere = buildListedVault({ chain: 'ethereum', chainId: 1 });
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
const check = (request: PrepareRequest, isStale = false) =>
  checkRequest(request, chains, buildCatalogue(vaults, isStale));

describe('checkRequest', () => {
  it('default: deposit', () => {
    expect(check(deposit)).toMatchObject({
      wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      vault,
      instruction: { operation: 'deposit', assets: 25_500_000n },
    });
  });

  it('default: redeem by shares and by percentage', () => {
    expect(check({ ...redeem, shares: '123' }).instruction).toEqual({
      operation: 'redeem',
      amount: { shares: 123n },
    });
    expect(check({ ...redeem, percentage: 0.5 }).instruction).toEqual({
      operation: 'redeem',
      amount: { percentage: 0.5 },
    });
  });

  it('default: rebalance', () => {
    expect(check({ ...redeem, operation: 'rebalance' }).instruction).toEqual({
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
    ['deposit without asset', { ...deposit, asset: undefined }, ['asset']],
    ['deposit without amount', { ...deposit, amount: undefined }, ['amount']],
    ['deposit with shares', { ...deposit, shares: '1' }, ['shares']],
    ['deposit with percentage', { ...deposit, percentage: 1 }, ['percentage']],
    ['redeem with amount', { ...redeem, shares: '1', amount: '1' }, ['amount']],
    ['redeem without either', redeem, ['shares']],
    ['redeem with both', { ...redeem, shares: '1', percentage: 1 }, ['shares']],
    ['zero shares', { ...redeem, shares: '0' }, ['shares']],
    ['a leading zero', { ...redeem, shares: '01' }, ['shares']],
    ['a fraction of a share', { ...redeem, shares: '1.5' }, ['shares']],
    ['the number that means all', { ...redeem, shares: maxUint256.toString() }, ['shares']],
    ['a number without end', { ...redeem, shares: '9'.repeat(100_000) }, ['shares']],
    ['zero percent', { ...redeem, percentage: 0 }, ['percentage']],
    ['more than everything', { ...redeem, percentage: 100.01 }, ['percentage']],
    ['no number', { ...redeem, percentage: NaN }, ['percentage']],
    ['rebalance with amount', { ...redeem, operation: 'rebalance', amount: '1' }, ['amount']],
    ['rebalance with shares', { ...redeem, operation: 'rebalance', shares: '1' }, ['shares']],
    ['rebalance with percentage', { ...redeem, operation: 'rebalance', percentage: 1 }, ['percentage']],
    ['another operation', { ...deposit, operation: 'borrow' as never }, ['operation']],
    ['a short address', { ...deposit, agentAddress: '0x12' }, ['agentAddress']],
    ['a vaultId that is no number', { ...deposit, vaultId: '0x1' }, ['vaultId']],
    ['zero', { ...deposit, amount: '0.0' }, ['amount']],
    ['more decimals than the asset has', { ...deposit, amount: '1.0000001' }, ['amount']],
    ['a negative amount', { ...deposit, amount: '-1' }, ['amount']],
    ['an amount in exponents', { ...deposit, amount: '1e3' }, ['amount']],
    [
      'several at once',
      { ...deposit, amount: undefined, shares: '1', vaultId: 'x' },
      ['vaultId', 'amount', 'shares'],
    ],
  ])('error: InvalidParametersError for %s', (_, request, fields) => {
    const attempt = () => check(request);
    expect(attempt).toThrow(InvalidParametersError);
    const violations = fields.map((field) => expect.objectContaining({ field }));
    expect(attempt).toThrow(expect.objectContaining({ details: { violations } }));
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

  it('error: NoSuitableVaultsError for a deposit into an unlisted vault, which can still be left', () => {
    const attempt = () => check({ ...deposit, vaultId: unlisted.vaultId });
    expect(attempt).toThrow(NoSuitableVaultsError);
    expect(attempt).toThrow(
      expect.objectContaining({ details: { vaultId: unlisted.vaultId, exclusions: ['tvl_below_minimum'] } }),
    );
    expect(check({ ...redeem, vaultId: unlisted.vaultId, percentage: 100 }).vault).toBe(unlisted);
  });
});
