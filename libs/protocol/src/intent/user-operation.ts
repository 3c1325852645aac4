import { concat, getAddress, numberToHex, pad, size, slice, type Hex } from 'viem';
import { getUserOperationHash, type UserOperation as ViemUserOperation } from 'viem/account-abstraction';
import type { Address } from 'viem';
import type { WireUserOperation } from '../wire/intent-envelope.js';

/** An ERC-4337 user operation of EntryPoint v0.8, with numbers as bigint and the paymaster fields apart. */
export type UserOperation = ViemUserOperation<'0.8'>;

const paymasterHeaderBytes = 52;

/**
 * The `initCode`, and the `factory`, of an operation that carries its sender's EIP-7702 authorization beside it. Entry points
 * take it padded to 20 bytes too, and hash both alike; bundlers take this form alone.
 */
export const eip7702Marker = '0x7702';

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

/** Write a user operation as prepare returns it: decimal strings, and no initCode but the EIP-7702 marker. */
export function toWireUserOperation(operation: UserOperation): Required<WireUserOperation> {
  return {
    sender: getAddress(operation.sender),
    nonce: operation.nonce.toString(),
    initCode: operation.factory === eip7702Marker ? eip7702Marker : '0x',
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
 * @throws {RangeError} when a number is malformed or too large, initCode is neither empty nor the EIP-7702
 *   marker, or paymasterAndData is cut short
 */
export function fromWireUserOperation(wire: WireUserOperation): UserOperation {
  const { initCode = '0x' } = wire;
  if (initCode !== '0x' && initCode !== eip7702Marker)
    throw new RangeError(`initCode is neither 0x nor ${eip7702Marker}`);
  return {
    sender: getAddress(wire.sender.toLowerCase()),
    nonce: parseQuantity('nonce', wire.nonce, 256n),
    ...(initCode === eip7702Marker && { factory: eip7702Marker }),
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

/**
 * Hash a user operation as EntryPoint v0.8 does: by EIP-712 over everything but the signature.
 *
 * @param delegate - the implementation that the sender delegates to; the entry point hashes it in place of the EIP-7702 marker
 * @throws {RangeError} when the operation has the marker and no delegate is given
 */
export function userOperationHash(
  operation: UserOperation,
  entryPoint: Address,
  chainId: number,
  delegate?: Address,
): Hex {
  const isMarked = operation.factory === eip7702Marker;
  if (isMarked && delegate === undefined) throw new RangeError('the EIP-7702 marker needs a delegate');
  return getUserOperationHash({
    chainId,
    entryPointAddress: entryPoint,
    entryPointVersion: '0.8',
    userOperation: isMarked ? { ...operation, factory: delegate } : operation,
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
