import { concat, getAddress, numberToHex, pad, size, slice, type Hex } from 'viem';
import { getUserOperationHash, type UserOperation as ViemUserOperation } from 'viem/account-abstraction';
import type { Address } from 'viem';
import type { WireUserOperation } from '../wire/intent-envelope.js';

/** An ERC-4337 user operation of EntryPoint v0.8, with numbers as bigint and the paymaster fields apart. */
export type UserOperation = ViemUserOperation<'0.8'>;

const paymasterHeaderBytes = 52;

/** Pack the paymaster fields as the entry point does: paymaster ‖ uint128 verification gas ‖ uint128 postOp gas ‖ data. */
export function packPaymasterAndData(operation: UserOperation): Hex {
  if (!operation.paymaster) return '0x';
  return concat([
    operation.paymaster,
    pad(numberToHex(operation.paymasterVerificationGasLimit ?? 0n), { size: 16 }),
    pad(numberToHex(operation.paymasterPostOpGasLimit ?? 0n), { size: 16 }),
    operation.paymasterData ?? '0x',
  ]);
}

/**
 * Take packed paymaster fields apart.
 *
 * @throws {RangeError} when it is neither empty nor at least 52 bytes
 */
export function unpackPaymasterAndData(
  packed: Hex,
): Pick<
  UserOperation,
  'paymaster' | 'paymasterVerificationGasLimit' | 'paymasterPostOpGasLimit' | 'paymasterData'
> {
  if (size(packed) === 0) return {};
  if (size(packed) < paymasterHeaderBytes) {
    throw new RangeError(`paymasterAndData is shorter than ${paymasterHeaderBytes} bytes`);
  }
  return {
    paymaster: getAddress(slice(packed, 0, 20)),
    paymasterVerificationGasLimit: BigInt(slice(packed, 20, 36)),
    paymasterPostOpGasLimit: BigInt(slice(packed, 36, 52)),
    paymasterData: size(packed) > paymasterHeaderBytes ? slice(packed, paymasterHeaderBytes) : '0x',
  };
}

/** Write a user operation as prepare returns it: decimal strings, empty initCode. */
export function toWireUserOperation(operation: UserOperation): Required<WireUserOperation> {
  return {
    sender: getAddress(operation.sender),
    nonce: operation.nonce.toString(),
    initCode: '0x',
    callData: operation.callData,
    callGasLimit: operation.callGasLimit.toString(),
    verificationGasLimit: operation.verificationGasLimit.toString(),
    preVerificationGas: operation.preVerificationGas.toString(),
    maxFeePerGas: operation.maxFeePerGas.toString(),
    maxPriorityFeePerGas: operation.maxPriorityFeePerGas.toString(),
    paymasterAndData: packPaymasterAndData(operation),
    signature: operation.signature,
  };
}

const quantityPattern = /^(\d+|0x[0-9a-fA-F]+)$/;

function parseQuantity(field: string, text: string | undefined, bits: bigint): bigint {
  if (text === undefined) return 0n;
  if (!quantityPattern.test(text)) throw new RangeError(`${field} is neither decimal nor 0x-hex`);
  const value = BigInt(text);
  if (value >= 1n << bits) throw new RangeError(`${field} does not fit ${bits} bits`);
  return value;
}

/**
 * Read a user operation from the wire: numbers decimal or 0x-hex, absent gas fields zero.
 *
 * @throws {RangeError} when a number is malformed or too large, initCode is not empty or paymasterAndData is cut short
 */
export function fromWireUserOperation(wire: WireUserOperation): UserOperation {
  if (wire.initCode !== undefined && wire.initCode !== '0x')
    throw new RangeError('initCode is not supported');
  return {
    sender: getAddress(wire.sender.toLowerCase()),
    nonce: parseQuantity('nonce', wire.nonce, 256n),
    callData: wire.callData,
    callGasLimit: parseQuantity('callGasLimit', wire.callGasLimit, 128n),
    verificationGasLimit: parseQuantity('verificationGasLimit', wire.verificationGasLimit, 128n),
    preVerificationGas: parseQuantity('preVerificationGas', wire.preVerificationGas, 256n),
    maxFeePerGas: parseQuantity('maxFeePerGas', wire.maxFeePerGas, 128n),
    maxPriorityFeePerGas: parseQuantity('maxPriorityFeePerGas', wire.maxPriorityFeePerGas, 128n),
    ...unpackPaymasterAndData(wire.paymasterAndData ?? '0x'),
    signature: wire.signature,
  };
}

/** Hash a user operation as EntryPoint v0.8 does: by EIP-712 over everything but the signature. */
export function userOperationHash(operation: UserOperation, entryPoint: Address, chainId: number): Hex {
  return getUserOperationHash({
    chainId,
    entryPointAddress: entryPoint,
    entryPointVersion: '0.8',
    userOperation: operation,
  });
}

/** Sum the gas limits of an operation: the most gas it can use. */
export function totalGasLimit(operation: UserOperation): bigint {
  return (
    operation.callGasLimit +
    operation.verificationGasLimit +
    operation.preVerificationGas +
    (operation.paymasterVerificationGasLimit ?? 0n) +
    (operation.paymasterPostOpGasLimit ?? 0n)
  );
}
