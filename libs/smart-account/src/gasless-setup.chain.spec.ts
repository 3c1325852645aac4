import { entryPointV08Abi } from '@yield-vault/contracts';
import { eip7702Marker, userOperationHash, type UserOperation } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { encodeFunctionData, maxUint256, parseAbi, type Hex } from 'viem';
import { getUserOperationHash, toPackedUserOperation } from 'viem/account-abstraction';
import { contracts, startChain, type SmartAccountChain } from '../test/support/start-chain.js';
import { encodeAccountCall, nonceKey } from './account-call.js';
import { usdcPermitTypedData } from './usdc-permit.js';

const { account, chainId, entryPoint, paymaster, usdc, validator } = contracts;
let chain: SmartAccountChain;

beforeAll(async () => {
  chain = await startChain();
}, 60_000);
afterAll(() => chain.stop());

describe('userOperationHash of an operation with the EIP-7702 marker', () => {
  const operation = (sender: UserOperation['sender']): UserOperation => ({
    sender,
    nonce: nonceKey(validator) << 64n,
    factory: eip7702Marker,
    callData: encodeAccountCall([{ hook: 'approve', spender: paymaster, token: usdc, amount: 5n }]),
    callGasLimit: 210_000n,
    verificationGasLimit: 90_000n,
    preVerificationGas: 55_000n,
    maxFeePerGas: 1_500_000_000n,
    maxPriorityFeePerGas: 1_000_000n,
    paymaster,
    paymasterVerificationGasLimit: 80_000n,
    paymasterPostOpGasLimit: 40_000n,
    paymasterData: '0x',
    signature: '0x',
  });
  const onChain = (op: UserOperation, initCode: Hex) =>
    chain.rpc.readContract({
      address: entryPoint,
      abi: entryPointV08Abi,
      functionName: 'getUserOpHash',
      args: [{ ...toPackedUserOperation(op), initCode }],
    });

  it('behavior: the entry point computes the same, of 2 bytes and of 20', async () => {
    const op = operation(await chain.send('delegated', account, '0x'));
    const hash = userOperationHash(op, entryPoint, chainId, account);
    expect(toPackedUserOperation(op).initCode).toBe(eip7702Marker);
    expect(await onChain(op, eip7702Marker)).toBe(hash);
    expect(await onChain(op, `${eip7702Marker}${'00'.repeat(18)}`)).toBe(hash);
    expect(await onChain(op, '0x')).toBe(
      userOperationHash({ ...op, factory: undefined }, entryPoint, chainId),
    );
    const authorization = await testAccount('delegated').signAuthorization({
      address: account,
      chainId,
      nonce: 1,
    });
    const byViem = { chainId, entryPointAddress: entryPoint, entryPointVersion: '0.8' } as const;
    expect(getUserOperationHash({ ...byViem, userOperation: { ...op, authorization } })).toBe(hash);
  });

  it('error: the entry point has no hash for a wallet without a delegation', async () => {
    const wallet = await chain.send('plain', undefined, '0x');
    await expect(onChain(operation(wallet), eip7702Marker)).rejects.toThrow('sender has no code');
  });
});

describe('usdcPermitTypedData', () => {
  const permitAbi = parseAbi(['function permit(address,address,uint256,uint256,bytes)']);
  const value = 20_000_000n;

  it.each([
    ['a plain wallet', 'holder', undefined],
    ['a delegated wallet', 'delegated holder', account],
  ])('behavior: USDC takes the permit of %s, and no other', async (_, name, delegate) => {
    const owner = await chain.send(name, delegate, '0x');
    const permit = { chainId, usdc, owner, spender: paymaster, value, nonce: 0n };
    const signature = await testAccount(name).signTypedData(usdcPermitTypedData(permit));
    const call = (amount: bigint) => {
      const args = [owner, paymaster, amount, maxUint256, signature] as const;
      return chain.rpc.call({
        account: paymaster,
        to: usdc,
        data: encodeFunctionData({ abi: permitAbi, functionName: 'permit', args }),
      });
    };
    await expect(call(value)).resolves.toEqual({ data: undefined });
    await expect(call(value + 1n)).rejects.toThrow('signature');
  });
});
