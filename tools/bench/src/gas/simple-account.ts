import { createRequire } from 'node:module';
import { userOperationHash, type UserOperation } from '@yield-vault/protocol';
import { canonical } from '@yield-vault/contracts';
import {
  concat,
  encodeFunctionData,
  getContractAddress,
  zeroHash,
  type Abi,
  type Hex,
  type PrivateKeyAccount,
} from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import type { BenchChain, Transaction } from './chain.js';
import { depositCalls, redeemCalls, type Contender } from './contender.js';

const artifact = createRequire(import.meta.url)(
  '@account-abstraction/contracts/artifacts/Simple7702Account.json',
) as { readonly abi: Abi; readonly bytecode: Hex };

const implementation = getContractAddress({
  opcode: 'CREATE2',
  from: canonical.create2Deployer,
  salt: zeroHash,
  bytecode: artifact.bytecode,
});
// Well-formed, so that estimation runs the whole validation. It recovers to no known address.
const stubSignature: Hex = `0x${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}${'33'.repeat(32)}1b`;

async function run(bench: BenchChain, account: PrivateKeyAccount, transactions: readonly Transaction[]) {
  const calls = transactions.map(({ to, data }) => ({ target: to, value: 0n, data }));
  const { rpc, bundler, entryPoint, chainId } = bench.chain;
  if (!bundler) throw new Error('The chain has no bundler');
  const [nonce, fees] = await Promise.all([
    rpc.readContract({
      address: entryPoint,
      abi: entryPoint08Abi,
      functionName: 'getNonce',
      args: [account.address, 0n],
    }),
    bundler.gasPrice(),
  ]);
  const unsigned: UserOperation = {
    sender: account.address,
    nonce,
    callData: encodeFunctionData({ abi: artifact.abi, functionName: 'executeBatch', args: [calls] }),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    ...fees,
    signature: stubSignature,
  };
  const { callGasLimit, verificationGasLimit, preVerificationGas } = await bundler.estimate(unsigned);
  const operation = { ...unsigned, callGasLimit, verificationGasLimit, preVerificationGas };
  const hash = userOperationHash(operation, entryPoint, chainId);
  const { gasUsed } = await bench.sendUserOperation({
    ...operation,
    signature: await account.sign({ hash }),
  });
  return { gasUsed };
}

/** The reference: the account of the ERC-4337 authors, which checks one ECDSA signature and pays in ETH. */
export const simpleAccount: Contender = {
  setUp: async (bench, account) => {
    if (!(await bench.chain.rpc.getCode({ address: implementation }))) {
      const deployer = await bench.newWallet();
      await bench.send(deployer, {
        to: canonical.create2Deployer,
        data: concat([zeroHash, artifact.bytecode]),
      });
    }
    const { gasUsed } = await bench.send(account, { to: account.address, data: '0x', implementation });
    return { gasUsed };
  },
  deposit: (bench, account, vault, assets) =>
    run(bench, account, depositCalls(account.address, vault, assets)),
  redeem: (bench, account, vault, shares) => run(bench, account, redeemCalls(account.address, vault, shares)),
};
