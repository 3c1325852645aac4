import { encodeErrorResult, type Hex, parseAbi } from 'viem';
import { judgeDeposit } from './judge-deposit.js';
import type { ProbeOutcome } from './simulate-deposit.js';

const assetsIn = 10_000_000n;

function buildOutcome(overrides: Partial<ProbeOutcome> = {}): ProbeOutcome {
  return {
    failedStep: 'none',
    isOutOfGas: false,
    revertData: '0x',
    sharesOut: 9_000_000n,
    assetsOut: 9_999_999n,
    depositGas: 100_000n,
    redeemGas: 80_000n,
    isPaused: false,
    isDepositAsync: false,
    isRedeemAsync: false,
    ...overrides,
  };
}

function revert(signature: string, ...args: readonly unknown[]): Hex {
  const abi = parseAbi([`error ${signature}`] as readonly string[]);
  return encodeErrorResult({ abi, args } as Parameters<typeof encodeErrorResult>[0]);
}
const said = (text: string) => revert('Error(string)', text);
const someone = '0x00000000000000000000000000000000000000aa';
const role = `0x${'00'.repeat(32)}`;

describe('judgeDeposit', () => {
  it('default: the deposit comes back, up to rounding', () => {
    expect(judgeDeposit(buildOutcome(), assetsIn)).toEqual({
      result: 'ok',
      failedStep: null,
      reason: null,
      isTooSmall: false,
    });
  });

  it('behavior: a vault that says paused() and yet works is open', () => {
    expect(judgeDeposit(buildOutcome({ isPaused: true }), assetsIn).result).toBe('ok');
  });

  it.each([
    ['paused', revert('EnforcedPause()')],
    ['paused', said('Pausable: paused')],
    ['paused', revert('E_OperationDisabled()')],
    ['whitelist', revert('AccessControlUnauthorizedAccount(address,bytes32)', someone, role)],
    ['whitelist', revert('OwnableUnauthorizedAccount(address)', someone)],
    ['whitelist', said('receiver is not whitelisted')],
    ['below-minimum', said('deposit below minimum')],
    ['below-minimum', said('ZERO_SHARES')],
    ['below-minimum', revert('E_ZeroShares()')],
    ['deposit-closed', revert('ERC4626ExceededMaxDeposit(address,uint256,uint256)', someone, 1n, 0n)],
    ['deposit-closed', revert('DepositMoreThanMax()')],
    ['deposit-closed', said('ERC4626: deposit more than max')],
    ['deposit-closed', revert('E_SupplyCapExceeded()')],
    ['reverts', revert('SomethingElse()')],
    ['reverts', said('ERC20: transfer amount exceeds balance')],
    ['reverts', '0x'],
  ] as const)('error: %s, by the reason of a deposit (%#)', (result, revertData) => {
    const outcome = buildOutcome({ failedStep: 'deposit', revertData, sharesOut: 0n, assetsOut: 0n });
    expect(judgeDeposit(outcome, assetsIn)).toMatchObject({
      result,
      failedStep: 'deposit',
      isTooSmall: result === 'below-minimum',
    });
  });

  it('error: an approval counts as a part of the deposit', () => {
    const outcome = buildOutcome({ failedStep: 'approve', revertData: said('Pausable: paused') });
    expect(judgeDeposit(outcome, assetsIn)).toMatchObject({ result: 'paused', failedStep: 'deposit' });
  });

  it('error: no shares, perhaps because it was too little', () => {
    const outcome = buildOutcome({ failedStep: 'shares', sharesOut: 0n, assetsOut: 0n });
    expect(judgeDeposit(outcome, assetsIn)).toEqual({
      result: 'deposit-closed',
      failedStep: 'deposit',
      reason: 'NO_SHARES',
      isTooSmall: true,
    });
  });

  it('error: a limit on redeems does not close deposits', () => {
    const revertData = revert('ERC4626ExceededMaxRedeem(address,uint256,uint256)', someone, 2n, 1n);
    const outcome = buildOutcome({ failedStep: 'redeem', revertData, assetsOut: 0n });
    const expected = { result: 'reverts', failedStep: 'redeem', reason: 'ERC4626ExceededMaxRedeem' };
    expect(judgeDeposit(outcome, assetsIn)).toMatchObject(expected);
  });

  it('error: a reason is reported without characters that a database refuses', () => {
    const outcome = buildOutcome({ failedStep: 'deposit', revertData: said('cap\u0000 exceeded') });
    expect(judgeDeposit(outcome, assetsIn)).toMatchObject({
      result: 'deposit-closed',
      reason: 'cap\uFFFD exceeded',
    });
  });

  it('error: paused() explains a revert without a reason', () => {
    const outcome = buildOutcome({ failedStep: 'deposit', isPaused: true });
    expect(judgeDeposit(outcome, assetsIn)).toMatchObject({ result: 'paused', reason: 'NO_REASON' });
  });

  it('error: out of gas', () => {
    const outcome = buildOutcome({ failedStep: 'redeem', isOutOfGas: true });
    expect(judgeDeposit(outcome, assetsIn)).toMatchObject({ result: 'reverts', reason: 'OUT_OF_GAS' });
  });

  it.each([
    [{ isDepositAsync: true, isRedeemAsync: true }, 'deposit'],
    [{ isRedeemAsync: true }, 'redeem'],
  ] as const)('error: asynchronous, for any simulation (%#)', (flags, failedStep) => {
    expect(judgeDeposit(buildOutcome(flags), assetsIn)).toMatchObject({ result: 'async', failedStep });
  });

  describe('the proceeds of a round trip', () => {
    it.each([
      [9_900_000n, 'ok', null],
      [9_899_999n, 'ok', 'PAYS_BACK_98.99_PERCENT'],
      [9_000_000n, 'ok', 'PAYS_BACK_90.00_PERCENT'],
      [8_999_999n, 'reverts', 'PAYS_BACK_89.99_PERCENT'],
      [0n, 'reverts', 'PAYS_BACK_0.00_PERCENT'],
    ] as const)('behavior: %d of 10000000', (assetsOut, result, reason) => {
      const found = judgeDeposit(buildOutcome({ assetsOut }), assetsIn);
      expect(found).toMatchObject({ result, reason, failedStep: result === 'ok' ? null : 'redeem' });
    });
  });
});
