import { entryPointV08Abi, usdcPaymasterAbi } from '@yield-vault/contracts';
import { fundWallet, type DevnetChain } from '@yield-vault/devnet';
import { userOperationHash } from '@yield-vault/protocol';
import { localAssetAddress } from '@yield-vault/testing/local';
import { erc20Abi, erc4626Abi, parseEventLogs, type TransactionReceipt } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { benchmark, goal, type Table } from '../harness.js';
import { createOurs, depositWithoutEther, sendAlone, sendToBundler } from '../accounts/ours.js';
import { createSafe } from '../accounts/safe.js';
import { createSender, encodeCall, type Contender, type Sender } from '../accounts/sender.js';
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
/** Most gas of ours in a bundle of one, in thousands. */
const goals: Readonly<Record<string, Partial<Measured>>> = {
  setup: { used: 37 },
  'second deposit': { used: 182, charged: 183 },
  'redeem half': { charged: 175 },
  'redeem all': { charged: 175 },
  'setup and deposit': { charged: 255 },
};

export const gas = benchmark({
  description:
    'thousand gas of setup, deposit and redeem beside plain transactions and two accounts of others',
  options: {},
  run: async (_, defer) => {
    const local = await startBase(defer);
    const contenders: Record<string, Create> = {
      EOA: createPlain,
      Simple7702Account: createSimple,
      Safe: createSafe,
      ours: createOurs(sendAlone),
      'ours by Alto': createOurs(sendToBundler),
    };
    const table: Table = {};
    const fill = (name: string, steps: Record<string, Measured>) => {
      for (const [step, { used, charged }] of Object.entries(steps))
        table[step] = {
          ...table[step],
          [name]: used,
          ...(charged !== undefined && { [`${name}, charged`]: charged }),
          ...(name === 'ours' && goalOf(step, { used, charged })),
        };
    };
    for (const [name, create] of Object.entries(contenders)) fill(name, await measureSteps(local, create));
    for (const [name, submit] of Object.entries({ ours: sendAlone, 'ours by Alto': sendToBundler })) {
      const wallet = privateKeyToAccount(generatePrivateKey());
      await fundWallet(local, wallet.address, { usdc: 10_000_000_000n });
      const receipts = await depositWithoutEther(createSender(local, wallet), submit);
      fill(name, { 'setup and deposit': measured(receipts) });
    }
    return table;
  },
});

function goalOf(step: string, { used, charged = 0 }: Measured) {
  const most = goals[step];
  if (!most) return {};
  const texts = Object.entries(most).map(([name, limit]) => `${limit} ${name}`);
  const isMet = used <= (most.used ?? Infinity) && charged <= (most.charged ?? Infinity);
  return goal(`<= ${texts.join(', ')}`, isMet);
}

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
    return measured(await run(calls, { operation: 'deposit', asset: 'USDC', amount: '100' }));
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
    return measured(await run([call], { operation: 'redeem', shares: `${shares}` }));
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
