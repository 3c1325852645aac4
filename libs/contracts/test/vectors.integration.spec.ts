import { AbiCoder, Interface, TypedDataEncoder, Wallet, ethers } from 'ethers';
import {
  type Hex,
  concatHex,
  encodeAbiParameters,
  encodePacked,
  getCreate2Address,
  hashTypedData,
  keccak256,
  numberToHex,
} from 'viem';
import { type UserOperation, getUserOperationHash } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { localContracts } from '../src/address-book.js';
import { intentValidatorAbi } from '../src/generated/IntentValidator.js';
import { yieldExecutorAbi } from '../src/generated/YieldExecutor.js';
import { yieldVaultAccountAbi } from '../src/generated/YieldVaultAccount.js';
import { vectorProbeAbi, vectorProbeBytecode } from './generated/VectorProbe.js';
import { type PackedUserOperation, hashUserOp, intentTypedData, intentTypes } from './support/account.js';
import { type TestChain, startTestChain } from './support/chain.js';
import {
  type Hook,
  type IntentInput,
  create2Inputs,
  entriesInputs,
  initializeInput,
  intentInputs,
} from './support/vector-inputs.js';
import create2Vectors from './vectors/create2.json' with { type: 'json' };
import entriesVectors from './vectors/entries.json' with { type: 'json' };
import intentVectors from './vectors/intent.json' with { type: 'json' };
import { encode } from './support/calls.js';

const hookIds = { deposit: 1, redeem: 2, 'approve-paymaster': 3 } as const;

function pack({ userOperation }: IntentInput): PackedUserOperation {
  const pair = (high: string, low: string) =>
    concatHex([numberToHex(BigInt(high), { size: 16 }), numberToHex(BigInt(low), { size: 16 })]);
  const { paymaster, paymasterVerificationGasLimit = '0', paymasterPostOpGasLimit = '0' } = userOperation;
  return {
    sender: userOperation.sender,
    nonce: BigInt(userOperation.nonce),
    initCode: '0x',
    callData: userOperation.callData,
    accountGasLimits: pair(userOperation.verificationGasLimit, userOperation.callGasLimit),
    preVerificationGas: BigInt(userOperation.preVerificationGas),
    gasFees: pair(userOperation.maxPriorityFeePerGas, userOperation.maxFeePerGas),
    paymasterAndData: paymaster
      ? concatHex([paymaster, pair(paymasterVerificationGasLimit, paymasterPostOpGasLimit)])
      : '0x',
    signature: '0x',
  };
}

describe('vectors: Solidity, viem and ethers agree with each other and with the frozen values', () => {
  const chains = new Map<number, { chain: TestChain; probe: Hex }>();
  beforeAll(async () => {
    for (const chainId of [1, 8453] as const) {
      const chain = await startTestChain(chainId);
      chains.set(chainId, { chain, probe: await chain.deploy(vectorProbeAbi, vectorProbeBytecode) });
    }
  });
  afterAll(() => Promise.all([...chains.values()].map(({ chain }) => chain.stop())));

  const on = (chainId: number) => {
    const found = chains.get(chainId);
    if (!found) throw new Error(`no chain ${String(chainId)}`);
    const { chain, probe } = found;
    return { chain, client: chain.client, probe: { address: probe, abi: vectorProbeAbi } as const };
  };

  describe.each(Object.entries(intentInputs))('intent: %s', (name, input) => {
    const { expiry, validAfter, proof, validator, chainId } = input;
    const frozen = (intentVectors as Record<string, unknown>)[name];

    it('viem', async () => {
      const { userOperation: op } = input;
      const userOpHash = getUserOperationHash({
        chainId,
        entryPointAddress: input.entryPoint,
        entryPointVersion: '0.8',
        userOperation: {
          sender: op.sender,
          nonce: BigInt(op.nonce),
          callData: op.callData,
          callGasLimit: BigInt(op.callGasLimit),
          verificationGasLimit: BigInt(op.verificationGasLimit),
          preVerificationGas: BigInt(op.preVerificationGas),
          maxFeePerGas: BigInt(op.maxFeePerGas),
          maxPriorityFeePerGas: BigInt(op.maxPriorityFeePerGas),
          ...(op.paymaster && {
            paymaster: op.paymaster,
            paymasterVerificationGasLimit: BigInt(op.paymasterVerificationGasLimit ?? 0),
            paymasterPostOpGasLimit: BigInt(op.paymasterPostOpGasLimit ?? 0),
          }),
          signature: '0x',
        } as UserOperation<'0.8'>,
      });
      const leaf = keccak256(
        keccak256(
          encodeAbiParameters(
            [{ type: 'bytes32' }, { type: 'uint48' }, { type: 'uint48' }, { type: 'address' }],
            [userOpHash, expiry, validAfter, validator],
          ),
        ),
      );
      const root = proof.reduce(
        (a, b) => keccak256(BigInt(a) < BigInt(b) ? concatHex([a, b]) : concatHex([b, a])),
        leaf,
      );
      const typed = intentTypedData(chainId, root, expiry, validAfter, validator);
      const signature = await privateKeyToAccount(input.privateKey).signTypedData(typed);
      const packedSignature = encodePacked(
        ['uint48', 'uint48', 'bytes', 'bytes32[]'],
        [expiry, validAfter, signature, proof],
      );
      expect({
        input,
        output: { userOpHash, leaf, root, digest: hashTypedData(typed), signature, packedSignature },
      }).toEqual(frozen);
    });

    it('ethers', async () => {
      const { signature: _, ...value } = pack(input);
      const userOpHash = TypedDataEncoder.hash(
        { name: 'ERC4337', version: '1', chainId, verifyingContract: input.entryPoint },
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
        value,
      );
      const encoded = AbiCoder.defaultAbiCoder().encode(
        ['bytes32', 'uint48', 'uint48', 'address'],
        [userOpHash, expiry, validAfter, validator],
      );
      const leaf = ethers.keccak256(ethers.keccak256(encoded));
      const root = proof.reduce(
        (a, b) => ethers.keccak256(ethers.concat([a, b].sort((x, y) => (BigInt(x) < BigInt(y) ? -1 : 1)))),
        leaf,
      );
      const domain = { name: 'YieldVaultIntent', version: '1', chainId, verifyingContract: validator };
      const types = { Intent: [...intentTypes.Intent] };
      const message = { merkleRoot: root, chainId, expiry, validAfter };
      const signature = await new Wallet(input.privateKey).signTypedData(domain, types, message);
      const packedSignature = ethers.solidityPacked(
        ['uint48', 'uint48', 'bytes', 'bytes32[]'],
        [expiry, validAfter, signature, proof],
      );
      const digest = TypedDataEncoder.hash(domain, types, message);
      expect({ input, output: { userOpHash, leaf, root, digest, signature, packedSignature } }).toEqual(
        frozen,
      );
    });

    it('Solidity', async () => {
      const { chain, client, probe } = on(chainId);
      const module = { address: validator, abi: intentValidatorAbi } as const;
      const userOpHash = await hashUserOp(chain, pack(input));
      const leaf = await client.readContract({
        ...module,
        functionName: 'leafOf',
        args: [userOpHash, expiry, validAfter],
      });
      const root = await client.readContract({ ...probe, functionName: 'root', args: [leaf, proof] });
      const digest = await client.readContract({
        ...module,
        functionName: 'intentDigest',
        args: [root, expiry, validAfter],
      });
      const signature = await privateKeyToAccount(input.privateKey).sign({ hash: digest });
      const packedSignature = await client.readContract({
        ...probe,
        functionName: 'packSignature',
        args: [expiry, validAfter, signature, proof],
      });
      expect({ input, output: { userOpHash, leaf, root, digest, signature, packedSignature } }).toEqual(
        frozen,
      );

      const validationData = await client.readContract({
        ...module,
        functionName: 'validateUserOp',
        args: [{ ...pack(input), signature: packedSignature }, userOpHash],
      });
      expect(validationData).toBe((BigInt(validAfter) << 208n) | (BigInt(expiry) << 160n));
    });
  });

  describe.each(Object.entries(entriesInputs))('entries: %s', (name, hooks) => {
    const frozen = (entriesVectors.hooks as Record<string, unknown>)[name];
    const shape = (entries: string, callData: string) => ({ hooks, entries, callData });

    it('viem', () => {
      const encodeHook = (hook: Hook): Hex =>
        hook.hook === 'approve-paymaster'
          ? encodePacked(['uint8', 'uint256'], [3, BigInt(hook.amount)])
          : encodePacked(
              ['uint8', 'address', 'address', 'uint256', 'uint256'],
              [hookIds[hook.hook], hook.vault, hook.token, BigInt(hook.amount), BigInt(hook.minimum)],
            );
      const entries = concatHex(hooks.map(encodeHook));
      const callData = encode(yieldVaultAccountAbi, 'runHooks', [entries]);
      // The account hands its call data to the executor as it came.
      expect(encode(yieldExecutorAbi, 'runHooks', [entries])).toBe(callData);
      expect(shape(entries, callData)).toEqual(frozen);
    });

    it('ethers', () => {
      const encode = (hook: Hook) =>
        hook.hook === 'approve-paymaster'
          ? ethers.solidityPacked(['uint8', 'uint256'], [3, hook.amount])
          : ethers.solidityPacked(
              ['uint8', 'address', 'address', 'uint256', 'uint256'],
              [hookIds[hook.hook], hook.vault, hook.token, hook.amount, hook.minimum],
            );
      const entries = ethers.concat(hooks.map(encode));
      const callData = new Interface(['function runHooks(bytes)']).encodeFunctionData('runHooks', [entries]);
      expect(shape(entries, callData)).toEqual(frozen);
    });

    it('Solidity', async () => {
      const { client, probe } = on(8453);
      const encode = (hook: Hook) =>
        hook.hook === 'approve-paymaster'
          ? client.readContract({ ...probe, functionName: 'approveHook', args: [BigInt(hook.amount)] })
          : client.readContract({
              ...probe,
              functionName: 'vaultHook',
              args: [hookIds[hook.hook], hook.vault, hook.token, BigInt(hook.amount), BigInt(hook.minimum)],
            });
      const entries = concatHex(await Promise.all(hooks.map(encode)));
      const callData = await client.readContract({
        ...probe,
        functionName: 'accountCall',
        args: [entries],
      });
      expect(shape(entries, callData)).toEqual(frozen);
    });
  });

  it('initializeAccount and the nonce key', async () => {
    const { token, paymaster, allowance } = initializeInput;
    const { validator } = localContracts;
    const args = [token, paymaster, BigInt(allowance)] as const;
    const { client, probe } = on(8453);
    const ours = encode(yieldVaultAccountAbi, 'initializeAccount', args);
    const theirs = new Interface(['function initializeAccount(address,address,uint256)']).encodeFunctionData(
      'initializeAccount',
      args,
    );
    const onChain = await client.readContract({ ...probe, functionName: 'initializeCall', args });
    const key = await client.readContract({ ...probe, functionName: 'nonceKey', args: [validator] });
    const { initialize, nonceKey } = entriesVectors;
    expect([ours, theirs, onChain]).toEqual([initialize.callData, initialize.callData, initialize.callData]);
    expect(initialize.input).toEqual(initializeInput);
    expect(nonceKey).toEqual({ validator, key: key.toString() });
    expect(BigInt(validator) << 32n).toBe(key);
  });

  describe.each(Object.entries(create2Inputs))('CREATE2: %s', (name, input) => {
    it('viem, ethers and Solidity', async () => {
      const { client, probe } = on(8453);
      const { deployer, salt, initCodeHash } = input;
      const addresses = [
        getCreate2Address({ from: deployer, salt, bytecodeHash: initCodeHash }),
        ethers.getCreate2Address(deployer, salt, initCodeHash),
        await client.readContract({
          ...probe,
          functionName: 'create2',
          args: [salt, initCodeHash, deployer],
        }),
      ];
      const frozen = (create2Vectors as Record<string, unknown>)[name];
      for (const address of addresses) expect({ ...input, address }).toEqual(frozen);
      for (const id of [1, 8453]) {
        expect(await on(id).client.getCode({ address: addresses[0] as Hex })).toBeDefined();
      }
    });
  });
});
