import { activeBase, runThroughBundler, setUpWallet, type DevnetChain } from '@yield-vault/devnet';
import { entryPointV08Abi, usdcPaymasterAbi } from '@yield-vault/contracts';
import type { ExecutorHook } from '@yield-vault/smart-account';
import { localAssetAddress } from '@yield-vault/testing/local';
import {
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  http,
  parseEventLogs,
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';
import { base } from 'viem/chains';
import { atMost, benchmark, type Table } from '../harness.js';
import { newWallet, startBase, steadyVaults } from '../service.js';

/** Gas of one step, in thousands. */
interface Measured {
  readonly used: number;
  /** What our paymaster charged, as gas at the fee of the operation and without its markup. */
  readonly charged?: number;
}

/** A call to a contract. */
interface Call {
  readonly to: Address;
  readonly data: Hex;
}

/** A wallet that is set up in its own way. */
interface Contender {
  /** Gas of the setup. */
  readonly setup: bigint;
  /** Run one step, given as calls and as the hook of our executor. */
  readonly run: (calls: readonly Call[], hook: ExecutorHook) => Promise<readonly TransactionReceipt[]>;
}

type Create = (local: DevnetChain, wallet: PrivateKeyAccount) => Promise<Contender>;

const [vault] = steadyVaults;
const { address: vaultAddress } = vault!;
const token = localAssetAddress(vault!);
const amount = 100_000_000n;
const weiPerEther = 10n ** 18n;
/** Most gas of ours, in thousands. What is charged depends on the bundler, so a test of the contracts limits it. */
const goals: Readonly<Record<string, number>> = { setup: 80, 'second deposit': 187 };

export const gas = benchmark({
  description: 'thousand gas of setup, deposit and redeem beside plain transactions',
  options: {},
  run: async (_, defer) => {
    const local = await startBase(defer);
    const table: Table = {};
    for (const [name, create] of Object.entries({ EOA: createPlain, ours: createOurs }))
      for (const [step, { used, charged }] of Object.entries(await measureSteps(local, create)))
        table[step] = {
          ...table[step],
          [name]: used,
          ...(charged !== undefined && { [`${name}, charged`]: charged }),
          ...(name === 'ours' && goals[step] && atMost(goals[step], used)),
        };
    return table;
  },
});

/** Measure a fresh wallet. Another one goes first, because the first user of a contract pays for its storage. */
async function measureSteps(local: DevnetChain, create: Create): Promise<Record<string, Measured>> {
  await takeSteps(local, create);
  return takeSteps(local, create);
}

async function takeSteps(local: DevnetChain, create: Create): Promise<Record<string, Measured>> {
  const wallet = await newWallet(local);
  const holder = wallet.address;
  const { setup, run } = await create(local, wallet);
  const deposit = async () => {
    const approval = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [vaultAddress, amount],
    });
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: 'deposit', args: [amount, holder] });
    const calls = [
      { to: token, data: approval },
      { to: vaultAddress, data },
    ];
    return measured(await run(calls, { hook: 'deposit', vault: vaultAddress, token, amount, minShares: 1n }));
  };
  const redeem = async (part: bigint) => {
    const balance = await activeBase(local).rpc.readContract({
      address: vaultAddress,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [holder],
    });
    const shares = balance / part;
    const args = [shares, holder, holder] as const;
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: 'redeem', args });
    const hook = { hook: 'redeem', vault: vaultAddress, token, shares, minAssets: 1n } as const;
    return measured(await run([{ to: vaultAddress, data }], hook));
  };
  return {
    setup: { used: Number(setup) / 1_000 },
    'first deposit': await deposit(),
    'second deposit': await deposit(),
    'redeem half': await redeem(2n),
    'redeem all': await redeem(1n),
  };
}

/** Read the gas of transactions, and what our paymaster charged for the operation in them. */
function measured(receipts: readonly TransactionReceipt[]): Measured {
  const used = receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0) / 1_000;
  const logs = receipts.flatMap((receipt) => receipt.logs);
  const [ended] = parseEventLogs({ abi: entryPointV08Abi, logs, eventName: 'UserOperationEvent' });
  const [sponsored] = parseEventLogs({ abi: usdcPaymasterAbi, logs, eventName: 'UserOperationSponsored' });
  if (!ended || !sponsored) return { used };
  const fee = ended.args.actualGasCost / ended.args.actualGasUsed;
  const { tokenAmount, tokenPerNative } = sponsored.args;
  // The rate has the markup in it, as the amount has.
  return { used, charged: Number((tokenAmount * weiPerEther) / tokenPerNative / fee) / 1_000 };
}

/** The floor: the EOA sends approve, deposit and redeem itself. */
const createPlain: Create = (local, wallet) => {
  const client = createWalletClient({ account: wallet, chain: base, transport: http(local.rpcUrl) });
  return Promise.resolve({
    setup: 0n,
    run: async (calls) => {
      const receipts: TransactionReceipt[] = [];
      for (const call of calls) {
        const receipt = await client.sendTransactionSync(call);
        if (receipt.status !== 'success') throw new Error(`${receipt.transactionHash} reverted`);
        receipts.push(receipt);
      }
      return receipts;
    },
  });
};

/** Ours: modular account, intent validator, executor hooks with minimum output, gas paid in USDC. */
const createOurs: Create = async (local, wallet) => ({
  setup: (await setUpWallet(local, wallet)).gasUsed,
  run: async (_, hook) => {
    const { receipt, success } = await runThroughBundler(local, wallet, [hook]);
    if (!success) throw new Error('Our operation reverted');
    return [receipt];
  },
});
