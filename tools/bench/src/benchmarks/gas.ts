import { runThroughBundler, setUpWallet, type DevnetChain } from '@yield-vault/devnet';
import { entryPointV08Abi, usdcPaymasterAbi } from '@yield-vault/contracts';
import { userOperationHash } from '@yield-vault/protocol';
import { localAssetAddress } from '@yield-vault/testing/local';
import { erc20Abi, erc4626Abi, parseEventLogs, type TransactionReceipt } from 'viem';
import { atMost, benchmark, type Table } from '../harness.js';
import { createSafe } from '../safe.js';
import { createSender, encodeCall, type Contender, type Sender } from '../sender.js';
import { newWallet, startBase, steadyVaults } from '../service.js';

/** Gas of one step, in thousands. */
interface Measured {
  readonly used: number;
  /** What our paymaster charged, as gas at the fee of the operation and without its markup. */
  readonly charged?: number;
}

const [vault] = steadyVaults;
const { address: vaultAddress } = vault!;
const token = localAssetAddress(vault!);
const depositAssets = 100_000_000n;
const weiPerEther = 10n ** 18n;
/** Most gas of ours, in thousands. What is charged depends on the bundler, so a test of the contracts limits it. */
const goals: Readonly<Record<string, number>> = { setup: 80, 'second deposit': 187 };

export const gas = benchmark({
  description:
    'thousand gas of setup, deposit and redeem beside plain transactions and two accounts of others',
  options: {},
  run: async (_, defer) => {
    const local = await startBase(defer);
    const contenders = {
      EOA: createPlain,
      Simple7702Account: createSimple,
      Safe: createSafe,
      ours: createOurs,
    };
    const table: Table = {};
    for (const [name, create] of Object.entries(contenders))
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

type Create = (sender: Sender) => Promise<Contender>;

/** Measure a fresh wallet. Another one goes first, because the first user of a contract pays for its storage. */
async function measureSteps(local: DevnetChain, create: Create): Promise<Record<string, Measured>> {
  const sender = async () => createSender(local, await newWallet(local));
  await takeSteps(await sender(), create);
  return takeSteps(await sender(), create);
}

async function takeSteps(sender: Sender, create: Create): Promise<Record<string, Measured>> {
  const { setup, holder, run } = await create(sender);
  const deposit = async () => {
    const calls = [
      encodeCall({ address: token, abi: erc20Abi }, 'approve', [vaultAddress, depositAssets]),
      encodeCall({ address: vaultAddress, abi: erc4626Abi }, 'deposit', [depositAssets, holder]),
    ];
    const amount = depositAssets;
    return measured(await run(calls, { hook: 'deposit', vault: vaultAddress, token, amount, minShares: 1n }));
  };
  const redeem = async (part: bigint) => {
    const balance = {
      address: vaultAddress,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [holder],
    } as const;
    const shares = (await sender.chain.rpc.readContract(balance)) / part;
    const call = encodeCall({ address: vaultAddress, abi: erc4626Abi }, 'redeem', [shares, holder, holder]);
    return measured(await run([call], { hook: 'redeem', vault: vaultAddress, token, shares, minAssets: 1n }));
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
const createPlain: Create = ({ wallet, send }) =>
  Promise.resolve({
    setup: 0n,
    holder: wallet.address,
    run: async (calls) => {
      const receipts: TransactionReceipt[] = [];
      for (const call of calls) receipts.push(await send(call));
      return receipts;
    },
  });

/** The reference: the account of the ERC-4337 authors, which checks one ECDSA signature and pays in ETH. */
const createSimple: Create = async ({ local, wallet, send, deploy, sendOperation }) => {
  const { abi, address } = await deploy('@account-abstraction/contracts/artifacts/Simple7702Account.json');
  const sender = wallet.address;
  return {
    setup: (await send({ to: sender, data: '0x' }, address)).gasUsed,
    holder: sender,
    run: (calls) => {
      const batch = calls.map(({ to, data }) => ({ target: to, value: 0n, data }));
      const { data: callData } = encodeCall({ address: sender, abi }, 'executeBatch', [batch]);
      return sendOperation({ sender, callData }, (operation) =>
        wallet.sign({ hash: userOperationHash(operation, local.entryPoint, local.chainId) }),
      );
    },
  };
};

/** Ours: modular account, intent validator, executor hooks with minimum output, gas paid in USDC. */
const createOurs: Create = async ({ local, wallet }) => ({
  setup: (await setUpWallet(local, wallet)).gasUsed,
  holder: wallet.address,
  run: async (_, hook) => {
    const { receipt, success } = await runThroughBundler(local, wallet, [hook]);
    if (!success) throw new Error('Our operation reverted');
    return [receipt];
  },
});
