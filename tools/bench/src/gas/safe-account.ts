import { createRequire } from 'node:module';
import { canonical, localContracts } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  erc4626Abi,
  getContractAddress,
  maxUint256,
  parseEventLogs,
  size,
  zeroAddress,
  zeroHash,
  type Abi,
  type Address,
  type Hex,
  type PrivateKeyAccount,
} from 'viem';
import { entryPoint08Abi, toPackedUserOperation } from 'viem/account-abstraction';
import type { BenchChain, Measured } from './chain.js';
import type { Contender } from './contender.js';

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const build = '@safe-global/safe-4337/build/artifacts';
const load = createRequire(import.meta.url) as (path: string) => Artifact;
const core = (path: string) => load(`${build}/@safe-global/safe-contracts/contracts/${path}`);
const artifacts = {
  singleton: core('Safe.sol/Safe.json'),
  factory: core('proxies/SafeProxyFactory.sol/SafeProxyFactory.json'),
  multiSend: core('libraries/MultiSend.sol/MultiSend.json'),
  moduleSetup: load(`${build}/contracts/SafeModuleSetup.sol/SafeModuleSetup.json`),
  module: load(`${build}/contracts/Safe4337Module.sol/Safe4337Module.json`),
};

// The module is published for EntryPoint v0.7; the operation of v0.8 has the same fields.
const moduleArguments = encodeAbiParameters([{ type: 'address' }], [canonical.entryPointV08]);
const codeOf = (name: keyof typeof artifacts): Hex =>
  name === 'module' ? concat([artifacts.module.bytecode, moduleArguments]) : artifacts[name].bytecode;
const addressOf = (name: keyof typeof artifacts): Address =>
  getContractAddress({
    opcode: 'CREATE2',
    from: canonical.create2Deployer,
    salt: zeroHash,
    bytecode: codeOf(name),
  });

interface Call {
  readonly to: Address;
  readonly data: Hex;
  /** A plain call by default. */
  readonly operation?: typeof delegateCall;
}

const delegateCall = 1;

const safes = new Map<Address, Address>();
const { paymaster } = localContracts;

function safeOf(account: PrivateKeyAccount): Address {
  const safe = safes.get(account.address);
  if (!safe) throw new Error('The wallet has no Safe');
  return safe;
}

/** Pack calls as MultiSend takes them. */
function multiSend(calls: readonly Call[]): Hex {
  const packed = calls.map(({ to, data, operation = 0 }) =>
    encodePacked(
      ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
      [operation, to, 0n, BigInt(size(data)), data],
    ),
  );
  return encodeFunctionData({
    abi: artifacts.multiSend.abi,
    functionName: 'multiSend',
    args: [concat(packed)],
  });
}

const approve = (token: Address, spender: Address, amount: bigint): Call => ({
  to: token,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
});

async function run(bench: BenchChain, account: PrivateKeyAccount, calls: readonly Call[]): Promise<Measured> {
  const { rpc, bundler, entryPoint } = bench.chain;
  if (!bundler) throw new Error('The chain has no bundler');
  const sender = safeOf(account);
  const [only, ...others] = calls;
  const [to, data, operation] =
    only && others.length === 0
      ? [only.to, only.data, 0]
      : [addressOf('multiSend'), multiSend(calls), delegateCall];
  const [nonce, fees] = await Promise.all([
    rpc.readContract({
      address: entryPoint,
      abi: entryPoint08Abi,
      functionName: 'getNonce',
      args: [sender, 0n],
    }),
    bundler.gasPrice(),
  ]);
  // Both ends of the window are open.
  const sign = (signature: Hex) => encodePacked(['uint48', 'uint48', 'bytes'], [0, 0, signature]);
  const unsigned: UserOperation = {
    sender,
    nonce,
    callData: encodeFunctionData({
      abi: artifacts.module.abi,
      functionName: 'executeUserOp',
      args: [to, 0n, data, operation],
    }),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    ...fees,
    paymaster,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: sign(await account.sign({ hash: zeroHash })),
  };
  const estimated = { ...unsigned, ...(await bundler.estimate(unsigned)) };
  const hash = await rpc.readContract({
    address: addressOf('module'),
    abi: artifacts.module.abi,
    functionName: 'getOperationHash',
    args: [toPackedUserOperation(estimated)],
  });
  return bench.sendUserOperation({
    ...estimated,
    signature: sign(await account.sign({ hash: hash as Hex })),
  });
}

/** Safe with its module for ERC-4337, gas paid in USDC to our paymaster. */
export const safeAccount: Contender = {
  holder: safeOf,
  setUp: async (bench, account) => {
    for (const name of Object.keys(artifacts) as (keyof typeof artifacts)[]) {
      if (await bench.chain.rpc.getCode({ address: addressOf(name) })) continue;
      await bench.send(account, { to: canonical.create2Deployer, data: concat([zeroHash, codeOf(name)]) });
    }
    const setup = encodeFunctionData({
      abi: artifacts.singleton.abi,
      functionName: 'setup',
      args: [
        [account.address],
        1n,
        addressOf('multiSend'),
        multiSend([
          {
            to: addressOf('moduleSetup'),
            operation: delegateCall,
            data: encodeFunctionData({
              abi: artifacts.moduleSetup.abi,
              functionName: 'enableModules',
              args: [[addressOf('module')]],
            }),
          },
          approve(bench.chain.usdc, paymaster, maxUint256 / 2n),
        ]),
        addressOf('module'),
        zeroAddress,
        0n,
        zeroAddress,
      ],
    });
    const receipt = await bench.send(account, {
      to: addressOf('factory'),
      data: encodeFunctionData({
        abi: artifacts.factory.abi,
        functionName: 'createProxyWithNonce',
        args: [addressOf('singleton'), setup, 0n],
      }),
    });
    const [created] = parseEventLogs({
      abi: artifacts.factory.abi,
      logs: receipt.logs,
      eventName: 'ProxyCreation',
    });
    const { proxy } = (created as unknown as { args: { proxy: Address } }).args;
    safes.set(account.address, proxy);
    // The Safe holds what the other contenders hold themselves.
    const balance = await bench.chain.rpc.readContract({
      address: bench.chain.usdc,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account.address],
    });
    const args = [proxy, balance] as const;
    await bench.send(account, {
      to: bench.chain.usdc,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
    });
    return { gasUsed: receipt.gasUsed };
  },
  deposit: (bench, account, vault, assets) =>
    run(bench, account, [
      approve(vault.asset, vault.address, assets),
      {
        to: vault.address,
        data: encodeFunctionData({
          abi: erc4626Abi,
          functionName: 'deposit',
          args: [assets, safeOf(account)],
        }),
      },
    ]),
  redeem: (bench, account, vault, shares) =>
    run(bench, account, [
      {
        to: vault.address,
        data: encodeFunctionData({
          abi: erc4626Abi,
          functionName: 'redeem',
          args: [shares, safeOf(account), safeOf(account)],
        }),
      },
    ]),
};
