import { startAnvil } from '@yield-vault/anvil';
import { fundWallet, setUpWallet, startDevnet, type DevnetChain } from '@yield-vault/devnet';
import type { NewestBlock } from '@yield-vault/forks';
import { createTestClient, http, publicActions } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { signDeposit } from './sign-deposit.js';
import type { SignedOperation } from '../sign-operation.js';

const statesKept = 64;

/** The devnet's Base. It mines only on request. */
export interface Upstream {
  readonly rpcUrl: string;
  /** A deposit of a wallet that is set up. */
  readonly operation: SignedOperation;
  mine(): Promise<void>;
  newestBlock(): Promise<NewestBlock>;
  stop(): Promise<void>;
}

/** Start the chain, with a wallet that is set up and has signed a deposit. */
export async function startUpstream(): Promise<Upstream> {
  const devnet = await startDevnet({ chains: ['base'], historyDays: 1, bundlers: false });
  try {
    const [local] = devnet.chains;
    if (!local) throw new Error('The devnet has no chain');
    const account = privateKeyToAccount(generatePrivateKey());
    await fundWallet(local, account.address, { ethWei: 10n ** 18n, usdc: 1_000_000_000n });
    await setUpWallet(local, account);
    return await copyChain(local, await signDeposit(account));
  } finally {
    await devnet.stop();
  }
}

/** The devnet mines by itself; a copy of it does not. */
async function copyChain(local: DevnetChain, operation: SignedOperation): Promise<Upstream> {
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
    operation,
    mine: () => client.mine({ blocks: 1 }),
    newestBlock: () => client.getBlock(),
    stop: anvil.kill,
  };
}
