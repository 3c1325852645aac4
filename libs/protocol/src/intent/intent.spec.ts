import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import {
  AbiCoder,
  concat,
  keccak256,
  toBeHex,
  TypedDataEncoder,
  verifyTypedData,
  Wallet,
  zeroPadValue,
} from 'ethers';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import vectors from '../../test/vectors/intent.json' with { type: 'json' };
import { chainId, entryPoint, operation, privateKey, validator, window } from '../../test/intent-fixture.js';
import { intentDigest, intentSigning, intentTypes } from './signing.js';
import { intentLeafHash, verifyIntentProof, type IntentLeaf } from './tree.js';
import {
  fromWireUserOperation,
  packPaymasterAndData,
  totalGasLimit,
  toWireUserOperation,
  unpackPaymasterAndData,
  userOperationHash,
} from './user-operation.js';

const uint128 = (value: bigint) => zeroPadValue(toBeHex(value), 16);

/** The same hash by ethers, from the packed struct of the entry point. */
function ethersUserOperationHash(): string {
  return TypedDataEncoder.hash(
    { name: 'ERC4337', version: '1', chainId, verifyingContract: entryPoint },
    {
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
    },
    {
      sender: operation.sender,
      nonce: operation.nonce,
      initCode: '0x',
      callData: operation.callData,
      accountGasLimits: concat([uint128(operation.verificationGasLimit), uint128(operation.callGasLimit)]),
      preVerificationGas: operation.preVerificationGas,
      gasFees: concat([uint128(operation.maxPriorityFeePerGas), uint128(operation.maxFeePerGas)]),
      paymasterAndData: packPaymasterAndData(operation),
    },
  );
}

/** The same tree by OpenZeppelin. */
function openZeppelinTree(leaves: readonly IntentLeaf[]) {
  const values = ({ userOpHash, expiry, validAfter, validator: module }: IntentLeaf) => [
    ...[userOpHash, expiry, validAfter, module],
  ];
  const tree = StandardMerkleTree.of(leaves.map(values), ['bytes32', 'uint48', 'uint48', 'address']);
  return { root: tree.root as Hex, proofs: leaves.map((each) => tree.getProof(values(each)) as Hex[]) };
}

const leaf = { userOpHash: userOperationHash(operation, entryPoint, chainId), ...window, validator } as const;

describe('userOperationHash', () => {
  it('vector', () => {
    expect(leaf.userOpHash).toBe(vectors.userOpHash);
  });

  it('behavior: ethers computes the same', () => {
    expect(leaf.userOpHash).toBe(ethersUserOperationHash());
  });

  it.each(Object.keys(operation).filter((field) => field !== 'signature'))('behavior: binds %s', (field) => {
    const value = operation[field as keyof typeof operation];
    const changed =
      typeof value === 'bigint'
        ? value + 1n
        : field === 'paymasterData'
          ? '0x01'
          : `${String(value).toLowerCase().slice(0, -1)}9`;
    expect(userOperationHash({ ...operation, [field]: changed }, entryPoint, chainId)).not.toBe(
      leaf.userOpHash,
    );
  });

  it('behavior: the signature is outside', () => {
    expect(userOperationHash({ ...operation, signature: '0x1234' }, entryPoint, chainId)).toBe(
      leaf.userOpHash,
    );
  });
});

describe('intent tree', () => {
  it('vector: one leaf is its own root, with the empty proof', () => {
    expect(intentLeafHash(leaf)).toBe(vectors.root);
    expect(openZeppelinTree([leaf]).root).toBe(vectors.root);
    expect(verifyIntentProof(intentLeafHash(leaf), leaf, [])).toBe(true);
  });

  it('behavior: ethers hashes the same leaf', () => {
    const encoded = AbiCoder.defaultAbiCoder().encode(
      ['bytes32', 'uint48', 'uint48', 'address'],
      [leaf.userOpHash, leaf.expiry, leaf.validAfter, leaf.validator],
    );
    expect(keccak256(keccak256(encoded))).toBe(vectors.root);
  });

  it('behavior: several leaves, each with its own proof', () => {
    const leaves = [0, 1, 2, 3, 4].map((minute) => ({ ...leaf, expiry: leaf.expiry + minute }));
    const { root, proofs } = openZeppelinTree(leaves);
    expect(root).toBe(vectors.rootOfFive);
    leaves.forEach((each, index) => {
      expect(verifyIntentProof(root, each, proofs[index]!)).toBe(true);
      expect(verifyIntentProof(root, each, proofs[(index + 1) % 5]!)).toBe(false);
    });
  });

  // With 32 leaves, some pair of siblings sorts otherwise by its letters as written.
  it('behavior: siblings in upper case', () => {
    const leaves = Array.from({ length: 32 }, (_, minute) => ({ ...leaf, expiry: leaf.expiry + minute }));
    const { root, proofs } = openZeppelinTree(leaves);
    leaves.forEach((each, index) => {
      const inUpperCase = proofs[index]!.map((sibling) => `0x${sibling.slice(2).toUpperCase()}` as const);
      expect(verifyIntentProof(root, each, inUpperCase)).toBe(true);
    });
  });

  it('error: a sibling that is no hash', () => {
    expect(verifyIntentProof(intentLeafHash(leaf), leaf, ['0x'])).toBe(false);
  });

  it.each([
    ['expiry', { expiry: leaf.expiry + 1 }],
    ['validAfter', { validAfter: 1 }],
    ['validator', { validator: entryPoint }],
    ['userOpHash', { userOpHash: `0x${'11'.repeat(32)}` }],
  ] as const)('behavior: binds %s', (_, change) => {
    expect(intentLeafHash({ ...leaf, ...change })).not.toBe(vectors.root);
  });
});

describe('intent signing payload', () => {
  const message = { merkleRoot: vectors.root as `0x${string}`, chainId, ...window, validator } as const;

  it('vector: digest', () => {
    expect(intentDigest(message)).toBe(vectors.digest);
  });

  it('behavior: viem and ethers sign the same bytes', async () => {
    const signing = intentSigning(message);
    const byViem = await privateKeyToAccount(privateKey).signTypedData({
      ...signing,
      types: intentTypes,
      message: { ...signing.message, chainId: BigInt(chainId) },
    });
    const types = { Intent: [...signing.types.Intent] };
    const byEthers = await new Wallet(privateKey).signTypedData(signing.domain, types, signing.message);
    expect(byViem).toBe(vectors.signature);
    expect(byEthers).toBe(vectors.signature);
    expect(verifyTypedData(signing.domain, types, signing.message, byViem)).toBe(operation.sender);
  });
});

describe('wire form', () => {
  it('behavior: decoding reverses encoding', () => {
    expect(fromWireUserOperation(toWireUserOperation(operation))).toEqual(operation);
  });

  it('behavior: reads hex numbers and any case of the address', () => {
    const wire = toWireUserOperation(operation);
    const again = fromWireUserOperation({
      ...wire,
      sender: wire.sender.toLowerCase() as typeof wire.sender,
      callGasLimit: toBeHex(operation.callGasLimit),
    });
    expect(again).toEqual(operation);
  });

  it('behavior: absent gas fields are zero, no paymaster is none', () => {
    const { sender, callData } = operation;
    const read = fromWireUserOperation({ sender, callData, nonce: '7', signature: '0x' });
    expect(read).toMatchObject({ nonce: 7n, callGasLimit: 0n, maxFeePerGas: 0n });
    expect(read.paymaster).toBeUndefined();
    expect(packPaymasterAndData(read)).toBe('0x');
  });

  it.each([
    ['a negative number', { nonce: '-1' }],
    ['an exponent', { callGasLimit: '1e6' }],
    ['empty hex', { callGasLimit: '0x' }],
    ['more than 128 bits', { maxFeePerGas: (2n ** 128n).toString() }],
    ['a nonce beyond 256 bits', { nonce: (2n ** 256n).toString() }],
    ['initCode', { initCode: '0x77' }],
    ['cut paymaster fields', { paymasterAndData: '0x1234' }],
  ] as const)('error: RangeError for %s', (_, change) => {
    expect(() => fromWireUserOperation({ ...toWireUserOperation(operation), ...change })).toThrow(RangeError);
  });

  it('behavior: unpacks paymaster data of any length', () => {
    const packed = `${packPaymasterAndData(operation)}c0ffee` as const;
    expect(unpackPaymasterAndData(packed).paymasterData).toBe('0xc0ffee');
  });

  it('behavior: sums the gas limits', () => {
    expect(totalGasLimit(operation)).toBe(475_000n);
  });
});
