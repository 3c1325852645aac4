import { openTestDatabase } from '@yield-vault/database/testing';
import type { DatabaseHandle } from '@yield-vault/database';
import { activeBase, fundWallet, setUpWallet, startDevnet, type Devnet } from '@yield-vault/devnet';
import type { ActiveChain } from '@yield-vault/chains';
import { vaultIdOf } from '@yield-vault/protocol';
import type { ExecutorHook } from '@yield-vault/smart-account';
import { buildRankedVault, testAccount } from '@yield-vault/testing';
import { localVaults } from '@yield-vault/testing/local';
import { keccak256, parseEther, toHex, type Hex, type RpcLog, type TransactionReceipt } from 'viem';
import { sendBundle } from '../test/send-bundle.js';
import { followChain } from '../test/store-events.js';
import { createPositions } from './create-positions.js';

jest.setTimeout(120_000);

const chainId = 8453;
const definitions = localVaults[chainId].filter(({ asset }) => asset === 'USDC');
const vaults = definitions.map(({ address, decimalsOffset }) =>
  buildRankedVault({
    vaultId: vaultIdOf(chainId, address),
    vaultAddress: address,
    shareDecimals: 6 + decimalsOffset,
  }),
);
const [steady, faster] = (['steady', 'faster'] as const).map(
  (kind) => definitions.find((vault) => vault.kind === kind)!.address,
) as [Hex, Hex];

const unit = 1_000_000n;
const endedTopic = keccak256(
  toHex('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)'),
);

describe.each([
  // By the paymaster: its event, the place of the operation's hash in it, and the word of its data with the payment.
  ['own', 'UserOperationSponsored(bytes32,uint256,uint256)', ({ topics }: RpcLog) => topics[1], 0],
  [
    'circle',
    'UserOperationSponsored(address,address,bytes32,uint256,uint256,uint256)',
    ({ data }: RpcLog) => wordOf(data, 0),
    2,
  ],
] as const)('gas payments to the paymaster %s', (paymaster, event, hashOf, amountWord) => {
  let devnet: Devnet;
  let chain: ActiveChain;
  let database: DatabaseHandle;
  const gasPaidBy = async (name: string) => {
    const addresses = vaults.map(({ vaultAddress }) => vaultAddress);
    const positions = createPositions({
      chains: { all: [chain] },
      vaults: { list: () => vaults },
      database,
      follower: await followChain(database, chain, addresses),
    });
    return (await positions.status(testAccount(name).address)).totalGasPaidUsd;
  };
  const token = () => chain.usdc;
  const deposit = (vault: Hex, minShares = 1n): ExecutorHook => ({
    ...{ hook: 'deposit', vault, token: token(), amount: 10n * unit, minShares },
  });
  const redeem = (vault: Hex, shares: bigint | 'all'): ExecutorHook => ({
    ...{ hook: 'redeem', vault, token: token(), shares, minAssets: 1n },
  });
  const rebalance = (from: Hex, vault: Hex): ExecutorHook[] => [
    redeem(from, 'all'),
    { hook: 'deposit', vault, token: token(), amount: 'previous', minShares: 1n },
  ];
  const newWallet = async (name: string) => {
    const wallet = testAccount(name);
    await fundWallet(devnet.chains[0]!, wallet.address, { ethWei: parseEther('0.1'), usdc: 1_000n * unit });
    await setUpWallet(devnet.chains[0]!, wallet, { allowance: 1_000n * unit });
  };
  /** Add up the payments of a wallet from the raw logs of the whole chain, in base units. */
  const paidInEvents = async (name: string) => {
    const logsOf = (address: Hex, topic: Hex) =>
      chain.rpc.request({
        method: 'eth_getLogs',
        params: [{ address, topics: [topic], fromBlock: '0x0', toBlock: 'latest' }],
      }) as Promise<RpcLog[]>;
    const ended = await logsOf(chain.entryPoint, endedTopic);
    const sender = testAccount(name).address.slice(2).toLowerCase();
    const hashes = ended.filter(({ topics }) => topics[2]!.endsWith(sender)).map(({ topics }) => topics[1]);
    const paid = await logsOf(chain.contracts.paymaster, keccak256(toHex(event)));
    const own = paid.filter((log) => hashes.includes(hashOf(log)));
    return {
      operations: hashes.length,
      usd: Number(own.reduce((sum, { data }) => sum + BigInt(wordOf(data, amountWord)), 0n)) / 1e6,
    };
  };
  const isSuccess = ({ logs }: TransactionReceipt) =>
    logs.filter(({ topics }) => topics[0] === endedTopic).map(({ data }) => BigInt(wordOf(data, 1)) === 1n);

  beforeAll(async () => {
    devnet = await startDevnet({ chains: ['base'], historyDays: 1, bundlers: false, gas: { paymaster } });
    const [started] = devnet.chains;
    chain = activeBase(started!, { kind: paymaster });
    await fundWallet(started!, testAccount('bundler').address, { ethWei: parseEther('10') });
    database = await openTestDatabase();
  });
  afterAll(async () => {
    await database?.close();
    await devnet?.stop();
  });

  it('default: the total of all operations is the sum of the paymaster’s events', async () => {
    await newWallet('busy');
    const successes: boolean[] = [];
    for (const hooks of [
      [deposit(steady)],
      [redeem(steady, unit)],
      rebalance(steady, faster),
      // It reverts, and is paid all the same.
      [deposit(steady, 10n ** 30n)],
    ]) {
      successes.push(...isSuccess(await sendBundle(chain, { name: 'busy', hooks })));
      expect(await gasPaidBy('busy')).toBe((await paidInEvents('busy')).usd);
    }
    expect(successes).toEqual([true, true, true, false]);
    const { operations, usd } = await paidInEvents('busy');
    expect(operations).toBe(4);
    expect(usd).toBeGreaterThan(0.02);
  });

  it('behavior: two wallets in one bundle are kept apart', async () => {
    await newWallet('left');
    await newWallet('right');
    await sendBundle(
      chain,
      { name: 'left', hooks: [deposit(steady)] },
      { name: 'right', hooks: [deposit(steady), deposit(faster)] },
    );
    const [left, right] = [await paidInEvents('left'), await paidInEvents('right')];
    expect(left.usd).not.toBe(right.usd);
    expect([await gasPaidBy('left'), await gasPaidBy('right')]).toEqual([left.usd, right.usd]);
  });
});

function wordOf(data: Hex, index: number): Hex {
  return `0x${data.slice(2 + 64 * index, 66 + 64 * index)}`;
}
