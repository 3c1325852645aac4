import type { ActiveChain } from '@yield-vault/chains';
import { entryPointV08Abi, usdcPaymasterAbi } from '@yield-vault/contracts';
import { activeBase, fundWallet, startDevnet } from '@yield-vault/devnet';
import type { UserOperation } from '@yield-vault/protocol';
import {
  createWalletClient,
  http,
  parseEventLogs,
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

/** Gas of one step. */
export interface Measured {
  /** Of the transactions on chain. */
  readonly gasUsed: bigint;
  /** What the paymaster charged, as gas at the fee of the operation and without its markup. */
  readonly chargedGas?: bigint;
}

/** A devnet chain in place of Base, with the contracts for the measurements. */
export interface BenchChain {
  readonly chain: ActiveChain;
  readonly rpcUrl: string;
  /** Make a wallet with ETH and USDC. */
  newWallet(): Promise<PrivateKeyAccount>;
  /** Send a transaction of a wallet and give its receipt. */
  send(account: PrivateKeyAccount, transaction: Transaction): Promise<TransactionReceipt>;
  /** Send a user operation through the bundler and give the gas of its bundle and what its paymaster charged. */
  sendUserOperation(operation: UserOperation): Promise<Measured>;
  stop(): Promise<void>;
}

export interface Transaction {
  readonly to: Address;
  readonly data: Hex;
  /** Delegate to this implementation in the same transaction. */
  readonly implementation?: Address;
}

const weiPerEther = 10n ** 18n;

/** Read the gas of a bundle of one operation, and what our paymaster charged for it. */
function measure({ gasUsed, logs }: TransactionReceipt): Measured {
  const [ended] = parseEventLogs({ abi: entryPointV08Abi, logs, eventName: 'UserOperationEvent' });
  const [sponsored] = parseEventLogs({ abi: usdcPaymasterAbi, logs, eventName: 'UserOperationSponsored' });
  if (!ended || !sponsored) return { gasUsed };
  const fee = ended.args.actualGasCost / ended.args.actualGasUsed;
  const { tokenAmount, tokenPerNative } = sponsored.args;
  // The rate has the markup in it, as the amount has.
  return { gasUsed, chargedGas: (tokenAmount * weiPerEther) / tokenPerNative / fee };
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
          const { transactionHash: hash } = receipt.receipt;
          return measure(await rpc.getTransactionReceipt({ hash }));
        }
        if (Date.now() > deadline) throw new Error(`The user operation ${userOpHash} was not included`);
        await new Promise((resolve) => setTimeout(resolve, receiptPollMs));
      }
    },
  };
}
