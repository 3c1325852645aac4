import {
  AbiCoder,
  concat,
  getAddress,
  Interface,
  keccak256,
  toBeHex,
  TypedDataEncoder,
  zeroPadValue,
} from 'ethers';
import type { PreparedIntentEnvelope } from '@yield-vault/protocol';

/** One record of the executor, as its Solidity documents it. */
export interface HookRecord {
  readonly id: number;
  readonly vault: string;
  readonly token: string;
  readonly amount: bigint;
  readonly minimum: bigint;
}

/** The hashes of an envelope. */
export interface EthersHashes {
  readonly userOpHash: string;
  readonly leaf: string;
  /** What the wallet signs. */
  readonly digest: string;
}

const abi = AbiCoder.defaultAbiCoder();
const account = new Interface(['function runHooks(bytes entries)']);
const packedOperation = {
  PackedUserOperation: [
    { name: 'sender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'initCode', type: 'bytes' },
    { name: 'callData', type: 'bytes' },
    { name: 'accountGasLimits', type: 'bytes32' },
    { name: 'preVerificationGas', type: 'uint256' },
    { name: 'gasFees', type: 'bytes32' },
    { name: 'paymasterAndData', type: 'bytes' },
  ],
};

/** Hash an envelope as the Solidity sources do, without any code of the product. */
export function hashWithEthers(envelope: PreparedIntentEnvelope, validator: string): EthersHashes {
  const { chainId, entryPoint, expiry, validAfter } = envelope;
  const userOpHash = hashOperation(envelope.userOps[0]!.userOperation, entryPoint, chainId);
  const encoded = abi.encode(
    ['bytes32', 'uint48', 'uint48', 'address'],
    [userOpHash, expiry, validAfter, validator],
  );
  const leaf = keccak256(keccak256(encoded));
  const digest = TypedDataEncoder.hash(
    { name: 'YieldVaultIntent', version: '1', chainId, verifyingContract: validator },
    {
      Intent: [
        { name: 'merkleRoot', type: 'bytes32' },
        { name: 'chainId', type: 'uint256' },
        { name: 'expiry', type: 'uint48' },
        { name: 'validAfter', type: 'uint48' },
      ],
    },
    { merkleRoot: leaf, chainId, expiry, validAfter },
  );
  return { userOpHash, leaf, digest };
}

type Operation = PreparedIntentEnvelope['userOps'][number]['userOperation'];

function hashOperation(operation: Operation, entryPoint: string, chainId: number): string {
  const pair = (high: string | undefined, low: string | undefined) =>
    concat([toBeHex(BigInt(high ?? 0), 16), toBeHex(BigInt(low ?? 0), 16)]);
  const packed = {
    sender: operation.sender,
    nonce: BigInt(operation.nonce),
    initCode: operation.initCode ?? '0x',
    callData: operation.callData,
    accountGasLimits: pair(operation.verificationGasLimit, operation.callGasLimit),
    preVerificationGas: BigInt(operation.preVerificationGas ?? 0),
    gasFees: pair(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
    paymasterAndData: operation.paymasterAndData ?? '0x',
  };
  const domain = { name: 'ERC4337', version: '1', chainId, verifyingContract: entryPoint };
  return TypedDataEncoder.hash(domain, packedOperation, packed);
}

/**
 * Read the hooks of an envelope as the Solidity sources do, without any code of the product.
 *
 * @returns `undefined` when the call data is anything but hooks in their one encoding
 */
export function readWithEthers(envelope: PreparedIntentEnvelope): readonly HookRecord[] | undefined {
  const { callData } = envelope.userOps[0]!.userOperation;
  try {
    const [entries] = account.decodeFunctionData('runHooks', callData) as unknown as [string];
    if (account.encodeFunctionData('runHooks', [entries]) !== callData) return undefined;
    return readRecords(entries.slice(2));
  } catch {
    return undefined;
  }
}

function readRecords(digits: string): readonly HookRecord[] | undefined {
  const records: HookRecord[] = [];
  for (let rest = digits; rest !== '';) {
    const id = Number(`0x${rest.slice(0, 2)}`);
    const size = { 1: 210, 2: 210, 3: 66 }[id];
    if (size === undefined || rest.length < size) return undefined;
    const field = (from: number, to: number) => `0x${rest.slice(from, to)}`;
    records.push(
      id === 3
        ? { id, vault: '', token: '', amount: BigInt(field(2, 66)), minimum: 0n }
        : {
            id,
            vault: getAddress(zeroPadValue(field(2, 42), 20)),
            token: getAddress(zeroPadValue(field(42, 82), 20)),
            amount: BigInt(field(82, 146)),
            minimum: BigInt(field(146, 210)),
          },
    );
    rest = rest.slice(size);
  }
  return records.length > 0 && records.length <= 8 ? records : undefined;
}
