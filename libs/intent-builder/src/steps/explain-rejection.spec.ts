import { BundlerRejection } from '@yield-vault/chains';
import {
  InsufficientBalanceError,
  PreflightSimulationError,
  TransactionSubmissionError,
  VaultAtCapacityError,
} from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import { encodeErrorResult, parseAbi, toFunctionSelector, type Hex } from 'viem';
import { buildOrder, buildSnapshot } from '../../test/build-order.js';
import { AllowanceTooLowError } from '../errors.js';
import { explainRejection } from './explain-rejection.js';

const abi = parseAbi([
  'error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)',
  'error Error(string)',
]);
const wallet = buildOrder().wallet;
const overMax = encodeErrorResult({ abi, errorName: 'ERC4626ExceededMaxDeposit', args: [wallet, 5n, 1n] });
const text = (message: string) => encodeErrorResult({ abi, errorName: 'Error', args: [message] });
const paused = toFunctionSelector('EnforcedPause()');

const redeem = buildOrder({ instruction: { operation: 'redeem', amount: { percentage: 50 } } });
const target = buildListedVault({ vaultAddress: '0x4000000000000000000000000000000000000004' });
const rebalance = buildOrder({ instruction: { operation: 'rebalance', target } });
const explain = (bundlerCode: number, message: string, revertData?: Hex, order = buildOrder()) =>
  explainRejection(new BundlerRejection({ bundlerCode, message, revertData }), order, buildSnapshot());

describe('explainRejection', () => {
  it.each([
    ['more than the room', overMax, 'ERC4626ExceededMaxDeposit'],
    ['a paused vault', paused, 'EnforcedPause'],
    ['a cap in words', text('SupplyCapExceeded'), 'SupplyCapExceeded'],
  ])('default: VaultAtCapacityError for %s', (_, data, revertReason) => {
    const error = explain(-32521, 'reverted', data);
    expect(error).toBeInstanceOf(VaultAtCapacityError);
    expect(error).toMatchObject({ details: { revertReason, vaultId: buildOrder().vault.vaultId } });
  });

  it('behavior: the capacity of a rebalance is that of its target', () => {
    expect(explain(-32521, 'reverted', overMax, rebalance)).toMatchObject({
      code: 'VAULT_AT_CAPACITY',
      details: { vaultId: target.vaultId },
    });
  });

  it('behavior: a rebalance, which takes neither an amount nor a target, is not told to change them', () => {
    expect(explain(-32521, 'reverted', overMax)).toMatchObject({
      nextAction: expect.stringMatching(/^Lower the amount/) as string,
    });
    expect(explain(-32521, 'reverted', overMax, rebalance)).toMatchObject({
      nextAction: expect.stringMatching(/^Redeem, then deposit/) as string,
    });
  });

  it('behavior: a redeem that cannot run is a failed simulation', () => {
    const error = explain(-32521, 'reverted', paused, redeem);
    expect(error).toBeInstanceOf(PreflightSimulationError);
    expect(error).toMatchObject({ details: { revertReason: 'EnforcedPause' } });
  });

  it('behavior: any other revert of a deposit is a failed simulation', () => {
    expect(explain(-32521, 'reverted', text('no'))).toMatchObject({
      code: 'PREFLIGHT_SIMULATION_FAILED',
      details: { revertReason: 'no' },
    });
  });

  it('behavior: a balance that does not cover the gas as well', () => {
    const error = explain(-32521, 'reverted', text('ERC20: transfer amount exceeds balance'));
    expect(error).toBeInstanceOf(InsufficientBalanceError);
    const { required, available } = (error as InsufficientBalanceError).details as Record<string, string>;
    expect(BigInt(required!)).toBeGreaterThan(BigInt(available!));
  });

  it('behavior: a vault that cannot pay is not a wallet without gas', () => {
    const data = text('ERC20: transfer amount exceeds balance');
    expect(explain(-32521, 'reverted', data, redeem)).toMatchObject({
      code: 'PREFLIGHT_SIMULATION_FAILED',
      details: { revertReason: 'INSUFFICIENT_BALANCE' },
    });
    expect(explain(-32501, 'AA33 reverted', data, redeem)).toBeInstanceOf(InsufficientBalanceError);
  });

  it('behavior: an allowance that the paymaster misses', () => {
    const data = text('ERC20: transfer amount exceeds allowance');
    expect(explain(-32501, 'AA33 reverted', data)).toBeInstanceOf(AllowanceTooLowError);
  });

  it.each([
    [-32500, 'AA25 invalid account nonce', 'AA25', false],
    [-32508, 'AA31 paymaster deposit too low', 'AA31', true],
    [-32602, 'something else', undefined, true],
  ])('behavior: other refusals (%d %s)', (bundlerCode, message, aaCode, retryable) => {
    const error = explain(bundlerCode, message);
    expect(error).toBeInstanceOf(TransactionSubmissionError);
    expect(error).toMatchObject({ details: { bundlerCode, ...(aaCode ? { aaCode } : {}) }, retryable });
  });
});
