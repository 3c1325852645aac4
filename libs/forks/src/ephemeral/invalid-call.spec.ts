import { PreflightSimulationError } from '@yield-vault/protocol';
import { RpcRequestError } from 'viem';
import { call } from '../../test/support/calls.js';
import { asInvalidCall, checkFees } from './invalid-call.js';

const refusal = (code: number, message: string) =>
  new RpcRequestError({ body: {}, error: { code, message }, url: 'http://127.0.0.1' });

describe('asInvalidCall', () => {
  it.each([
    [-32003, 'Insufficient funds for gas * price + value', 'INSUFFICIENT_BALANCE'],
    [-38014, 'whatever the next version says', 'INSUFFICIENT_BALANCE'],
    [-32000, 'intrinsic gas too high -- CallGasCostMoreThanGasLimit', 'INTRINSIC_GAS_TOO_LOW'],
    [-32000, 'intrinsic gas too low', 'INTRINSIC_GAS_TOO_LOW'],
    [-32003, 'max fee per gas less than block base fee', 'FEE_TOO_LOW'],
    [-38012, 'fee cap too low', 'FEE_TOO_LOW'],
  ])('default: %p %s', (code, message, revertReason) => {
    expect(asInvalidCall(refusal(code, message))?.details).toEqual({ revertReason });
  });

  it.each([
    refusal(-32603, 'failed to get account for 0x01: HTTP error 500'),
    refusal(-32601, 'Method not found'),
    new Error('Insufficient funds'),
  ])('behavior: %s says nothing of a call', (error) => {
    expect(asInvalidCall(error)).toBeUndefined();
  });
});

describe('checkFees', () => {
  it.each([
    ['no fees', {}],
    ['exactly the base fee', { maxFeePerGas: 100n }],
    ['all of it as priority fee', { maxFeePerGas: 100n, maxPriorityFeePerGas: 100n }],
  ])('default: %s', (_, fees) => {
    expect(() => checkFees([call('counter', '0x', fees)], 100n)).not.toThrow();
  });

  it.each([
    ['below the base fee', { maxFeePerGas: 99n }],
    ['below its own priority fee', { maxFeePerGas: 100n, maxPriorityFeePerGas: 101n }],
  ])('error: %s', (_, fees) => {
    expect(() => checkFees([call('counter'), call('counter', '0x', fees)], 100n)).toThrow(
      PreflightSimulationError,
    );
  });
});
