import { startAnvil } from '@yield-vault/anvil';
import { canonical, suite } from '@yield-vault/contracts';
import { fundWallet, startDevnet, type DevnetChain } from '@yield-vault/devnet';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  http,
  publicActions,
  type PrivateKeyAccount,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { signDeposit } from './sign-deposit.js';
import type { SignedOperation } from '../sign-operation.js';

const statesKept = 64;
const paymasterAllowance = 100_000_000n;

/** The chain that is forked: Base as the devnet has it, standing still unless it is told to mine. */
export interface Upstream {
  readonly rpcUrl: string;
  readonly pid: number;
  /** A signed deposit for each wallet. */
  readonly operations: readonly SignedOperation[];
  mine(): Promise<void>;
  /** Mine a block every so many seconds; 0 stops. */
  mineEvery(seconds: number): Promise<void>;
  newest(): Promise<bigint>;
  stop(): Promise<void>;
}

/** Start the chain, with wallets that are set up and have signed a deposit each. */
export async function startUpstream(wallets: number): Promise<Upstream> {
  const devnet = await startDevnet({ chains: ['base'], historyDays: 1, bundlers: false });
  try {
    const [local] = devnet.chains;
    if (!local) throw new Error('The devnet has no chain');
    const operations: SignedOperation[] = [];
    for (let made = 0; made < wallets; made++) operations.push(await signDeposit(await newWallet(local)));
    return await copyChain(local, operations);
  } finally {
    await devnet.stop();
  }
}

async function newWallet(local: DevnetChain): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  await fundWallet(local, account.address, { ethWei: 10n ** 18n, usdc: 1_000_000_000n });
  const client = createWalletClient({ account, chain: base, transport: http(local.rpcUrl) });
  const authorization = await client.signAuthorization({ contractAddress: suite.account, executor: 'self' });
  const hash = await client.sendTransaction({
    to: account.address,
    authorizationList: [authorization],
    data: encodeInitializeAccount({
      validator: suite.validator,
      executor: suite.executor,
      token: canonical.usdc[local.chainId],
      paymaster: suite.paymaster,
      allowance: paymasterAllowance,
    }),
  });
  const reader = createPublicClient({ transport: http(local.rpcUrl), pollingInterval: 20 });
  const receipt = await reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error('The setup of a wallet reverted');
  return account;
}

/** The devnet keeps its own time: a copy of it mines when it is told to. */
async function copyChain(local: DevnetChain, operations: readonly SignedOperation[]): Promise<Upstream> {
  const clientOf = (url: string) =>
    createTestClient({ mode: 'anvil', cacheTime: 0, transport: http(url, { timeout: 60_000 }) }).extend(
      publicActions,
    );
  const state = await clientOf(local.rpcUrl).dumpState();
  const anvil = await startAnvil({
    args: [
      '--chain-id',
      String(local.chainId),
      '--prune-history',
      String(statesKept),
      '--no-request-size-limit',
    ],
  });
  const client = clientOf(anvil.rpcUrl);
  try {
    await client.loadState({ state });
    await client.mine({ blocks: 1 });
  } catch (error) {
    await anvil.kill();
    throw error;
  }
  return {
    rpcUrl: anvil.rpcUrl,
    pid: anvil.pid,
    operations,
    mine: () => client.mine({ blocks: 1 }),
    mineEvery: (seconds) => client.setIntervalMining({ interval: seconds }),
    newest: () => client.getBlockNumber(),
    stop: anvil.kill,
  };
}
