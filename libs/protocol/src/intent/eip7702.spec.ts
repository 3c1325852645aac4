import { concat, keccak256, toBeHex, TypedDataEncoder } from 'ethers';
import type { Hex } from 'viem';
import { getUserOperationHash } from 'viem/account-abstraction';
import vectors from '../../test/vectors/intent.json' with { type: 'json' };
import { chainId, entryPoint, operation, validator as delegate } from '../../test/intent-fixture.js';
import {
  eip7702Marker,
  fromWireUserOperation,
  packPaymasterAndData,
  toWireUserOperation,
  userOperationHash,
} from './user-operation.js';

const marked = { ...operation, factory: eip7702Marker } as const;
const padded: Hex = `${eip7702Marker}${'00'.repeat(18)}`;

describe('an operation with the EIP-7702 marker', () => {
  it('vector: its hash', () => {
    expect(userOperationHash(marked, entryPoint, chainId, delegate)).toBe(vectors.userOpHashOfMarker);
    // The delegate counts for the marker alone.
    expect(userOperationHash(operation, entryPoint, chainId, delegate)).toBe(vectors.userOpHash);
  });

  it('behavior: ethers computes the same, with the delegate in place of the initCode', () => {
    const types = [
      ...['address sender', 'uint256 nonce', 'bytes initCode', 'bytes callData', 'bytes32 accountGasLimits'],
      ...['uint256 preVerificationGas', 'bytes32 gasFees', 'bytes paymasterAndData'],
    ].map((field) => ({ type: field.split(' ')[0]!, name: field.split(' ')[1]! }));
    const pair = (high: bigint, low: bigint) => concat([toBeHex(high, 16), toBeHex(low, 16)]);
    const hash = TypedDataEncoder.hash(
      { name: 'ERC4337', version: '1', chainId, verifyingContract: entryPoint },
      { PackedUserOperation: types },
      {
        ...operation,
        initCode: delegate,
        accountGasLimits: pair(operation.verificationGasLimit, operation.callGasLimit),
        gasFees: pair(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
        paymasterAndData: packPaymasterAndData(operation),
      },
    );
    expect(hash).toBe(vectors.userOpHashOfMarker);
  });

  it('behavior: viem computes the same with an authorization, and something else without', () => {
    const hashOf = (userOperation: typeof operation) =>
      getUserOperationHash({
        chainId,
        entryPointAddress: entryPoint,
        entryPointVersion: '0.8',
        userOperation,
      });
    const signature = { r: keccak256('0x') as Hex, s: keccak256('0x') as Hex, yParity: 0 };
    const authorization = { address: delegate, chainId, nonce: 0, ...signature } as const;
    expect(hashOf({ ...marked, authorization })).toBe(vectors.userOpHashOfMarker);
    expect(hashOf(marked)).not.toBe(vectors.userOpHashOfMarker);
  });

  it('behavior: another delegate, another hash', () => {
    expect(userOperationHash(marked, entryPoint, chainId, entryPoint)).not.toBe(vectors.userOpHashOfMarker);
  });

  it('error: RangeError without a delegate', () => {
    expect(() => userOperationHash(marked, entryPoint, chainId)).toThrow(RangeError);
  });

  it('behavior: travels as its initCode', () => {
    const wire = toWireUserOperation(marked);
    expect(wire.initCode).toBe('0x7702');
    expect(fromWireUserOperation(wire)).toEqual(marked);
    expect(fromWireUserOperation({ ...wire, initCode: '0x' })).toEqual(operation);
  });

  it.each<Hex>([padded, '0x77020', '0x770200', '0x7703', '0x02', '0x77', '0x0', delegate])(
    'error: RangeError for an initCode of %s',
    (initCode) => {
      expect(() => fromWireUserOperation({ ...toWireUserOperation(operation), initCode })).toThrow(
        RangeError,
      );
    },
  );
});
