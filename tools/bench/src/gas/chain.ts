import type { ActiveChain } from '@yield-vault/chains';
import { activeBase, fundWallet, startDevnet } from '@yield-vault/devnet';
import type { UserOperation } from '@yield-vault/protocol';
import {
  createWalletClient,
  http,
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

/** A devnet chain in place of Base, with the contracts for the measurements. */
export interface BenchChain {
  readonly chain: ActiveChain;
  readonly rpcUrl: string;
  /** Make a wallet with ETH and USDC. */
  newWallet(): Promise<PrivateKeyAccount>;
  /** Send a transaction of a wallet and give its receipt. */
  send(account: PrivateKeyAccount, transaction: Transaction): Promise<TransactionReceipt>;
  /** Send a user operation through the bundler and give the receipt of its bundle and what it was billed. */
  sendUserOperation(operation: UserOperation): Promise<Inclusion>;
  stop(): Promise<void>;
}

export interface Transaction {
  readonly to: Address;
  readonly data: Hex;
  /** Delegate to this implementation in the same transaction. */
  readonly implementation?: Address;
}

export interface Inclusion {
  /** Gas of the transaction that carried it, alone in its bundle. */
  readonly gasUsed: bigint;
  /** Gas that the entry point billed, the bundler's overhead included. */
  readonly actualGasUsed: bigint;
}

const receiptPollMs = 50;
const receiptDeadlineMs = 30_000;

/** Start a devnet of one chain with a little history: gas does not depend on it. */
export async function startBenchChain(): Promise<BenchChain> {
  const devnet = await startDevnet({ chains: ['base'], historyDays: 1 });
  const [local] = devnet.chains;
  if (!local) throw new Error('The devnet has no chain');
  const chain = activeBase(local);
  const { rpc, bundler } = chain;
  if (!bundler) throw new Error('The devnet has no bundler');

  return {
    chain,
    rpcUrl: local.rpcUrl,
    stop: () => devnet.stop(),
    newWallet: async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      await fundWallet(local, account.address, { ethWei: 10n ** 18n, usdc: 1_000_000_000n });
      return account;
    },
    send: async (account, { to, data, implementation }) => {
      const client = createWalletClient({ account, chain: base, transport: http(local.rpcUrl) });
      const authorizationList = implementation && [
        await client.signAuthorization({ contractAddress: implementation, executor: 'self' }),
      ];
      const hash = await client.sendTransaction({ to, data, authorizationList });
      const receipt = await rpc.waitForTransactionReceipt({ hash });
      if (receipt.status !== 'success') throw new Error(`The transaction ${hash} reverted`);
      return receipt;
    },
    sendUserOperation: async (operation) => {
      const sent = await bundler.send(operation);
      if (sent.outcome !== 'accepted')
        throw new Error('The bundler did not take the operation', { cause: sent });
      const { userOpHash } = sent;
      const deadline = Date.now() + receiptDeadlineMs;
      for (;;) {
        const receipt = await bundler.receipt(userOpHash);
        if (receipt) {
          if (!receipt.success) throw new Error(`The user operation ${userOpHash} reverted`);
          return { gasUsed: receipt.receipt.gasUsed, actualGasUsed: receipt.actualGasUsed };
        }
        if (Date.now() > deadline) throw new Error(`The user operation ${userOpHash} was not included`);
        await new Promise((resolve) => setTimeout(resolve, receiptPollMs));
      }
    },
  };
}
