import { localContracts } from '@yield-vault/contracts';
import { InvalidParametersError } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { delegationCode, interpretWalletState, parseDelegation } from './wallet-state.js';

const { account } = localContracts(8453);
const foreign = '0x1111111111111111111111111111111111111111';
const ours = delegationCode(account);
const installed = { validatorInstalled: true, executorInstalled: true, paymasterAllowance: 5n };
const interpret = (code: `0x${string}` | undefined, reads: Partial<typeof installed> = installed) =>
  interpretWalletState({ account }, code, {
    validatorInstalled: undefined,
    executorInstalled: undefined,
    paymasterAllowance: undefined,
    ...reads,
  });

describe('interpretWalletState', () => {
  it('default: configured', () => {
    expect(interpret(ours)).toEqual({ kind: 'configured', implementation: account, paymasterAllowance: 5n });
  });

  it.each([undefined, '0x' as const])('behavior: undelegated (%s)', (code) => {
    expect(interpret(code)).toEqual({ kind: 'undelegated' });
  });

  it('behavior: a foreign delegation, for any response of its code', () => {
    const state = { kind: 'foreign-delegation', implementation: foreign };
    expect(interpret(delegationCode(foreign))).toEqual(state);
    expect(interpret(delegationCode(foreign), {})).toEqual(state);
  });

  it.each([
    [true, false],
    [false, true],
    [false, false],
  ])('behavior: modules missing (%s, %s)', (validatorInstalled, executorInstalled) => {
    expect(interpret(ours, { validatorInstalled, executorInstalled })).toEqual({
      kind: 'modules-missing',
      implementation: account,
      validatorInstalled,
      executorInstalled,
    });
  });

  it('behavior: a failed read counts as a missing module', () => {
    expect(interpret(ours, {})).toMatchObject({ kind: 'modules-missing', validatorInstalled: false });
  });

  it('error: InvalidParametersError for a contract', () => {
    const attempt = () => interpret('0x6080604052');
    expect(attempt).toThrow(InvalidParametersError);
    expect(attempt).toThrow(
      expect.objectContaining({
        nextAction: 'Deposit and redeem with this wallet by GET /v1/yield/calls.',
      }),
    );
  });
});

const implementation = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

describe('delegation', () => {
  it('default', () => {
    expect(delegationCode(implementation)).toBe(`0xef0100${implementation.slice(2).toLowerCase()}`);
    expect(parseDelegation(delegationCode(implementation))).toBe(implementation);
  });

  it.each<[string, Hex]>([
    ['no code', '0x'],
    ['ordinary code', '0x6080604052'],
    ['another version', `0xef0101${implementation.slice(2)}` as Hex],
    ['a byte too many', `${delegationCode(implementation)}00`],
    ['a byte too few', delegationCode(implementation).slice(0, -2) as Hex],
  ])('behavior: not %s', (_, code) => {
    expect(parseDelegation(code)).toBeUndefined();
  });
});
