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

/** The calls of an envelope. */
export interface EthersReading {
  readonly executor: string;
  readonly value: bigint;
  readonly mode: string;
  /** `undefined` when the call data is anything but calls in their one encoding. */
  readonly records: readonly HookRecord[] | undefined;
}

const abi = AbiCoder.defaultAbiCoder();
const account = new Interface(['function execute(bytes32 mode, bytes executionCalldata)']);
const executor = new Interface(['function execute(bytes entries)']);
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

/** Read the calls of an envelope as the Solidity sources do, without any code of the product. */
export function readWithEthers(envelope: PreparedIntentEnvelope): EthersReading {
  const { callData } = envelope.userOps[0]!.userOperation;
  const nothing = { executor: '', value: 0n, mode: '', records: undefined };
  try {
    const [mode, execution] = account.decodeFunctionData('execute', callData) as unknown as [string, string];
    if (account.encodeFunctionData('execute', [mode, execution]) !== callData) return nothing;
    const inner = `0x${execution.slice(106)}`;
    const [entries] = executor.decodeFunctionData('execute', inner) as unknown as [string];
    if (executor.encodeFunctionData('execute', [entries]) !== inner) return nothing;
    return {
      mode,
      executor: getAddress(execution.slice(0, 42)),
      value: BigInt(`0x${execution.slice(42, 106)}`),
      records: readRecords(entries.slice(2)),
    };
  } catch {
    return nothing;
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
