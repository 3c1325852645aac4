import { type Hex, concatHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { walletContracts } from '../src/address-book.js';
import { intentValidatorAbi } from '../src/generated/IntentValidator.js';
import { yieldExecutorAbi } from '../src/generated/YieldExecutor.js';
import {
  type PackedUserOperation,
  approveHook,
  depositHook,
  depositKeepOneHook,
  executorCall,
  hashUserOp,
  initializeCall,
  pair,
  redeemHook,
} from './support/account.js';
import { encode } from './support/calls.js';
import { useTestChain } from './support/chain.js';
import entriesVectors from './vectors/entries.json' with { type: 'json' };
import intentVectors from './vectors/intent.json' with { type: 'json' };

const vaultHooks = { deposit: depositHook, 'deposit-keep-one': depositKeepOneHook, redeem: redeemHook };

type IntentVector = (typeof intentVectors)[keyof typeof intentVectors];

function pack({ input: { userOperation: operation } }: IntentVector): PackedUserOperation {
  const numbers = (high: string, low: string) => pair(BigInt(high), BigInt(low));
  return {
    sender: operation.sender as Hex,
    nonce: BigInt(operation.nonce),
    initCode: '0x',
    callData: operation.callData as Hex,
    accountGasLimits: numbers(operation.verificationGasLimit, operation.callGasLimit),
    preVerificationGas: BigInt(operation.preVerificationGas),
    gasFees: numbers(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
    paymasterAndData:
      'paymaster' in operation
        ? concatHex([
            operation.paymaster as Hex,
            numbers(operation.paymasterVerificationGasLimit, operation.paymasterPostOpGasLimit),
            operation.paymasterData as Hex,
          ])
        : '0x',
    signature: '0x',
  };
}

// The libraries protocol and smart-account compare viem and ethers with vectors of their own.
describe('vectors: the contracts agree with the frozen values', () => {
  const chains = { 1: useTestChain(1), 8453: useTestChain(8453) };

  it.each(Object.entries(intentVectors))('intent: %s', async (_, vector: IntentVector) => {
    const { chainId, expiry, validAfter, privateKey } = vector.input;
    const chain = chains[chainId as 1 | 8453];
    const { validator } = walletContracts;
    const { userOpHash, leaf, root, digest, signature, packedSignature } = vector.output as Record<
      string,
      Hex
    >;
    const userOp = pack(vector);
    expect(await hashUserOp(chain, userOp)).toBe(userOpHash);
    const leafArguments = [userOpHash!, expiry, validAfter] as const;
    expect(await chain.read(validator, intentValidatorAbi, 'leafOf', leafArguments)).toBe(leaf);
    const digestArguments = [root!, expiry, validAfter] as const;
    expect(await chain.read(validator, intentValidatorAbi, 'intentDigest', digestArguments)).toBe(digest);
    expect(await privateKeyToAccount(privateKey as Hex).sign({ hash: digest! })).toBe(signature);
    const signed = { ...userOp, signature: packedSignature! };
    const validation = await chain.read(validator, intentValidatorAbi, 'validateUserOp', [
      signed,
      userOpHash!,
    ]);
    expect(validation).toBe((BigInt(validAfter) << 208n) | (BigInt(expiry) << 160n));
  });

  it.each(Object.entries(entriesVectors.hooks))('entries: %s', (_, { hooks, entries, callData }) => {
    const encoded = hooks.map((hook) => {
      const [token, amount] = [hook.token as Hex, BigInt(hook.amount)];
      if ('spender' in hook) return approveHook(hook.spender as Hex, token, amount);
      const encodeHook = vaultHooks[hook.hook as keyof typeof vaultHooks];
      return encodeHook(hook.vault as Hex, token, amount, BigInt(hook.minimum));
    });
    const packed = concatHex(encoded).toLowerCase() as Hex;
    expect(packed).toBe(entries);
    expect(executorCall(packed)).toBe(callData);
    // The account hands its call data to the executor as it came.
    expect(encode(yieldExecutorAbi, 'runHooks', [entries as Hex])).toBe(callData);
  });

  it('initializeAccount', () => {
    expect(initializeCall()).toBe(entriesVectors.initialize.callData);
  });
});
