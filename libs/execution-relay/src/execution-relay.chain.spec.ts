import { createActiveChains } from '@yield-vault/chains';
import { localAddresses, localVaults } from '@yield-vault/testing/local';
import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import {
  TransactionSubmissionError,
  type ExecuteRequest,
  type RankedVault,
  type UserOperation,
} from '@yield-vault/protocol';
import { type ExecutorHook } from '@yield-vault/smart-account';
import { buildRankedVault, testKey } from '@yield-vault/testing';
import { erc20Abi, getAddress, parseUnits, type Address } from 'viem';
import { buildIntent, chainId } from '../test/support/build-intent.js';
import { expectErrorOf } from '../test/support/outcomes.js';
import {
  depositOf,
  newWallet,
  readyOperation,
  redeemAll,
  startChain,
  type LocalBase,
} from '../test/support/start-chain.js';
import { createDatabaseIntentStore } from './adapters/database-intent-store.js';
import { createExecutionRelay, type ExecutionRelayOptions } from './execution-relay.js';
import type { ExecutionChain, IntentStore } from './ports.js';

jest.setTimeout(120_000);

const usdc = localAddresses[chainId].usdc;
const amount = parseUnits('25', 6);
let base: LocalBase;
let vaultList: RankedVault[];
let database: DatabaseHandle;
let ledger: IntentStore;

beforeAll(async () => {
  base = await startChain();
  database = await openTestDatabase();
  ledger = createDatabaseIntentStore(database);
  vaultList = await Promise.all(
    localVaults[chainId]
      .filter(({ asset }) => asset === 'USDC')
      .map(async ({ address, name, protocol }) =>
        buildRankedVault({
          vaultAddress: address,
          name,
          protocol,
          shareDecimals: await base.chain.rpc.readContract({
            address,
            abi: erc20Abi,
            functionName: 'decimals',
          }),
        }),
      ),
  );
});
afterAll(async () => {
  await database.close();
  await base.stop();
});

function vaultOf(kind: string): RankedVault {
  const definition = localVaults[chainId].find((one) => one.kind === kind && one.asset === 'USDC');
  const vault = vaultList.find((one) => one.vaultAddress === definition?.address);
  if (!vault) throw new Error(`there is no ${kind} vault for USDC`);
  return vault;
}

function startRelay(
  store: IntentStore = ledger,
  chain: ExecutionChain = base.chain,
  options: Partial<ExecutionRelayOptions> & { now?: () => number } = {},
) {
  const { now, ...rest } = options;
  return createExecutionRelay({
    chains: { keys: ['base'], findById: (id) => (id === chainId ? chain : undefined) },
    store,
    vaults: { byAddress: (_, address) => vaultList.find((one) => one.vaultAddress === getAddress(address)) },
    options: { waitSeconds: 20, lifetimeSeconds: 600, ...rest },
    ...(now && { now }),
  });
}

/** Sign an operation of a wallet that was set up, with the nonce and the gas price of the chain. */
async function sign(
  name: string,
  wallet: Address,
  hooks: readonly ExecutorHook[],
  operation: Partial<UserOperation> = {},
): Promise<ExecuteRequest> {
  return buildIntent({
    key: testKey(name),
    hooks,
    operation: { ...(await readyOperation(base, wallet)), ...operation },
  });
}

const deposit = (vault: RankedVault, of: bigint | 'previous' = amount) => depositOf(vault.vaultAddress, of);
const balanceOf = (token: Address, wallet: Address) =>
  base.chain.rpc.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] });

describe('createExecutionRelay with a real bundler', () => {
  it('default: deposit, the same again, rebalance, redeem', async () => {
    const wallet = await newWallet(base, 'flow', parseUnits('100', 6));
    const [source, target] = [vaultOf('steady'), vaultOf('faster')];
    const relay = startRelay();

    const before = await balanceOf(usdc, wallet.address);
    const request = await sign('flow', wallet.address, [deposit(source)]);
    const executed = await relay.execute(request);
    const shares = await balanceOf(source.vaultAddress, wallet.address);
    const paid = before - amount - (await balanceOf(usdc, wallet.address));
    expect(shares).toBeGreaterThan(0n);
    expect(executed).toMatchObject({
      result: 'executed',
      receipt: { status: 'success' },
      positionUpdate: { vaultId: source.vaultId, assetsDelta: '25', gasPaid: { token: usdc } },
    });
    expect(parseUnits(executed.positionUpdate.sharesDelta, source.shareDecimals)).toBe(shares);
    expect(parseUnits(executed.positionUpdate.gasPaid.amount, 6)).toBe(paid);
    expect(Number(executed.positionUpdate.effectivePrice)).toBeGreaterThan(1);
    expect(Number(executed.positionUpdate.effectivePrice)).toBeLessThan(2);
    const receipt = await base.chain.rpc.getTransactionReceipt({ hash: executed.txHash });
    expect(executed.receipt.blockNumber).toBe(Number(receipt.blockNumber));

    expect(await relay.execute(request)).toEqual({ ...executed, result: 'already_executed' });

    const rebalance = await relay.execute(
      await sign('flow', wallet.address, [redeemAll(source.vaultAddress), deposit(target, 'previous')]),
    );
    expect(rebalance.positionUpdate.vaultId).toBe(target.vaultId);
    expect(Number(rebalance.positionUpdate.sharesDelta)).toBeGreaterThan(0);
    expect(rebalance.sourcePositionUpdate).toMatchObject({
      vaultId: source.vaultId,
      sharesDelta: `-${executed.positionUpdate.sharesDelta}`,
      gasPaid: { amount: '0' },
    });
    expect(rebalance.sourcePositionUpdate?.assetsDelta).toBe(`-${rebalance.positionUpdate.assetsDelta}`);

    const redeemed = await relay.execute(
      await sign('flow', wallet.address, [redeemAll(target.vaultAddress)]),
    );
    expect(redeemed.positionUpdate.sharesDelta).toBe(`-${rebalance.positionUpdate.sharesDelta}`);
    expect(await balanceOf(target.vaultAddress, wallet.address)).toBe(0n);
    expect(await balanceOf(source.vaultAddress, wallet.address)).toBe(0n);
  });

  it('behavior: a deposit through the second bundler while the first one is down', async () => {
    const wallet = await newWallet(base, 'failover', parseUnits('100', 6));
    const request = await sign('failover', wallet.address, [deposit(vaultOf('steady'))]);
    const bundlerUrls = ['http://127.0.0.1:1', base.started.bundlerUrl];
    const chain = createActiveChains({ chains: { base: { ...base.chain, bundlerUrls } } }).require('base');
    const { result, userOpHash } = await startRelay(ledger, chain).execute(request);
    expect(result).toBe('executed');
    expect(await chain.bundler?.receipt(userOpHash)).toMatchObject({ success: true });
    expect(await chain.bundler?.holds(userOpHash)).toBe('held');
  });

  it('error: an operation that reverts on chain, with its hash and reason', async () => {
    const wallet = await newWallet(base, 'poor', parseUnits('5', 6));
    const relay = startRelay();
    const request = await sign('poor', wallet.address, [deposit(vaultOf('steady'))]);
    await expectErrorOf(TransactionSubmissionError, relay.execute(request), {
      details: { revertReason: 'INSUFFICIENT_BALANCE', txHash: expect.stringMatching(/^0x/) as string },
      retryable: false,
    });
  });

  it('attack: two envelopes with one nonce at the same time: one executes, the other is AA25', async () => {
    const wallet = await newWallet(base, 'twins', parseUnits('100', 6));
    const twins = [
      await sign('twins', wallet.address, [deposit(vaultOf('steady'))]),
      await sign('twins', wallet.address, [deposit(vaultOf('faster'))]),
    ];
    const relay = startRelay();
    const outcomes = await Promise.allSettled(twins.map((request) => relay.execute(request)));
    const [won] = outcomes.filter(({ status }) => status === 'fulfilled');
    const [lost] = outcomes.filter(({ status }) => status === 'rejected');
    expect(won).toMatchObject({ value: { result: 'executed' } });
    expect(lost).toMatchObject({ reason: { details: { aaCode: 'AA25' }, retryable: false } });
    expect(await balanceOf(usdc, wallet.address)).toBeGreaterThan(parseUnits('70', 6));
  });

  it.each([
    ['the receipts of the block', { receipt: () => Promise.resolve(null) }],
    ["the bundler's receipt", {}],
  ])('attack: a node without logs does not hide an execution from %s', async (witness, bundler) => {
    const wallet = await newWallet(base, `without logs, ${witness}`, parseUnits('100', 6));
    const request = await sign(`without logs, ${witness}`, wallet.address, [deposit(vaultOf('steady'))]);
    const rpc = Object.assign(Object.create(base.chain.rpc) as ExecutionChain['rpc'], {
      getLogs: () => Promise.resolve([]),
      ...('receipt' in bundler ? {} : { request: () => Promise.reject(new Error('not supported')) }),
    });
    const chain = { ...base.chain, rpc, bundler: { ...base.chain.bundler!, ...bundler } };
    expect(await startRelay(ledger, chain).execute(request)).toMatchObject({ result: 'executed' });
  });
});
