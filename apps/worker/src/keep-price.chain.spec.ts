import { resolve } from 'node:path';
import { createActiveChains, type ActiveChain } from '@yield-vault/chains';
import { chainFacts, deployContracts, updatePaymasterPrice, usdcPaymasterAbi } from '@yield-vault/contracts';
import { loadConfig, type Deployment } from '@yield-vault/deployment';
import { anvilKey, startAnvil, type Anvil } from '@yield-vault/testing';
import {
  createChainClient,
  localPriceFeedAbi,
  placeLocalContracts,
  type ChainClient,
} from '@yield-vault/testing/local';
import { createWalletClient, http, parseGwei, type Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createPriceKeeper } from './keep-price.js';

const { sequencerFeed, usdc, wrappedNative, paymaster: settings } = chainFacts(8453);
const nativeUsd = wrappedNative.price.feed;
const operator = privateKeyToAccount(anvilKey(0));
const keeper = privateKeyToAccount(anvilKey(5));
const price = 2_500_00000000n;
const half = settings.maxAgeSeconds / 2;
const { signal } = new AbortController();

describe('createPriceKeeper', () => {
  let anvil: Anvil;
  let chain: ActiveChain;
  let client: ChainClient;
  let snapshot: `0x${string}`;
  const info = jest.fn();

  let defaults: Deployment['keeper'];
  const keep = (limits: { readonly maxCostUsdc?: bigint } = {}) =>
    createPriceKeeper(chain, keeper, { ...defaults, ...limits }, { info });
  const wallet = () => createWalletClient({ account: operator, transport: http(anvil.rpcUrl) });
  const setFeed = async (feed: Address, functionName: 'setAnswer' | 'setRound', args: readonly bigint[]) => {
    const call = { address: feed, abi: localPriceFeedAbi, functionName, args, chain: null };
    await client.waitForTransactionReceipt({ hash: await wallet().writeContract(call as never) });
  };
  const sent = async (): Promise<number> => {
    const count = (blockTag: 'latest' | 'pending') =>
      client.getTransactionCount({ address: keeper.address, blockTag });
    const mined = await count('latest');
    return mined === (await count('pending')) ? mined : sent();
  };
  const terms = async () => {
    const address = chain.contracts.paymaster;
    const call = { address, abi: usdcPaymasterAbi, functionName: 'terms' } as const;
    const [usdcPerNative, validUntil] = await client.readContract(call);
    return { usdcPerNative, validUntil };
  };
  const now = async () => Number((await client.getBlock()).timestamp);
  const pass = async (seconds: number) => {
    await client.setNextBlockTimestamp({ timestamp: BigInt((await now()) + seconds) });
    await client.mine({ blocks: 1 });
  };

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 8453 });
    const { deployment } = loadConfig({
      YIELD_VAULT_CONFIG: resolve(__dirname, '../../../config/local.yaml'),
      BASE_RPC_URL: anvil.rpcUrl,
      BASE_BUNDLER_URL: 'http://127.0.0.1:1',
      ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
      ETHEREUM_BUNDLER_URL: 'http://127.0.0.1:1',
      RELAY_MODE: 'chain',
    });
    defaults = deployment.keeper;
    chain = createActiveChains(deployment).require('base');
    client = createChainClient(anvil.rpcUrl);
    await placeLocalContracts(client, 8453);
    await setFeed(nativeUsd, 'setAnswer', [price]);
    await setFeed(usdc.price.feed, 'setAnswer', [1_00000000n]);
    await setFeed(sequencerFeed!, 'setRound', [0n, 1n]);
    await deployContracts(wallet(), client, { paymaster: chain.contracts.paymasterRoles });
    await updatePaymasterPrice(wallet(), client, chain.contracts.paymaster);
  });
  afterAll(() => anvil.stop());
  beforeEach(async () => {
    snapshot = await client.snapshot();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await client.setAutomine(true);
    await client.revert({ id: snapshot });
  });

  it('default: refreshes the price after half of its life, once', async () => {
    const { run } = keep();
    await pass(half - 10);
    expect(await run(signal)).toBe('done');
    expect(await sent()).toBe(0);
    await pass(20);
    for (let times = 0; times < 3; times++) expect(await run(signal)).toBe('done');
    expect(await sent()).toBe(1);
    expect((await terms()).validUntil).toBe((await now()) + settings.maxAgeSeconds);
    expect(info).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['rose', 10_040n, 10_060n],
    ['fell', 9_960n, 9_940n],
  ])('behavior: refreshes when the feed %s by more than 0.5 %%', async (_, little, more) => {
    const { run } = keep();
    await setFeed(nativeUsd, 'setAnswer', [(price * little) / 10_000n]);
    await run(signal);
    expect(await sent()).toBe(0);
    await setFeed(nativeUsd, 'setAnswer', [(price * more) / 10_000n]);
    await run(signal);
    expect(await sent()).toBe(1);
    expect((await terms()).usdcPerNative).toBe((2_500_000_000n * more) / 10_000n);
  });

  it('behavior: stores the first price', async () => {
    const address = chain.contracts.paymaster;
    await client.setStorageAt({ address, index: 2, value: `0x${'00'.repeat(32)}` });
    await keep().run(signal);
    expect(await sent()).toBe(1);
    expect((await terms()).usdcPerNative).toBe(2_500_000_000n);
  });

  it('error: a broken feed fails the run and costs nothing', async () => {
    await pass(half + 10);
    await setFeed(sequencerFeed!, 'setRound', [1n, 1n]);
    await expect(keep().run(signal)).rejects.toThrow('PaymasterSequencerDown');
    expect(await sent()).toBe(0);
  });

  it('behavior: a feed that stands still prolongs nothing, so nothing is sent', async () => {
    const staleAt = BigInt((await now()) + 1_000);
    const bound = BigInt(wrappedNative.price.heartbeatSeconds + 3_600);
    await setFeed(nativeUsd, 'setRound', [price, staleAt - bound]);
    await updatePaymasterPrice(wallet(), client, chain.contracts.paymaster);
    expect((await terms()).validUntil).toBe(Number(staleAt));
    await pass(900);
    expect(await keep().run(signal)).toBe('done');
    expect(await sent()).toBe(0);
  });

  it('error: a refresh that costs more than the limit is not sent', async () => {
    await pass(half + 10);
    await expect(keep({ maxCostUsdc: 1n }).run(signal)).rejects.toThrow('more than keeper.maxCostUsdc');
    expect(await sent()).toBe(0);
  });

  // Agents take operations on Ethereum up to 60 gwei.
  it.each([
    ['60', 'at once'],
    ['45', 'and replaces a transaction that waits'],
  ])('behavior: at 4,000 dollars and %s gwei the default limit lets it refresh, %s', async (gwei, how) => {
    await setFeed(nativeUsd, 'setAnswer', [4_000_00000000n]);
    await updatePaymasterPrice(wallet(), client, chain.contracts.paymaster);
    await pass(half + 10);
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) });
    await client.mine({ blocks: 1 });
    await client.setAutomine(how === 'at once');
    await keep().run(signal);
    if (how !== 'at once') await keep().run(signal);
    await client.mine({ blocks: 1 });
    expect(await sent()).toBe(1);
  });

  it('attack: two workers at the same time send one transaction', async () => {
    await pass(half + 10);
    await Promise.allSettled([keep().run(signal), keep().run(signal)]);
    expect(await sent()).toBe(1);
    await keep().run(signal);
    expect(await sent()).toBe(1);
  });

  it('behavior: replaces a transaction that is not mined, of another worker and its own', async () => {
    await pass(half + 10);
    await client.setAutomine(false);
    await keep().run(signal);
    const { run } = keep();
    await run(signal);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 31_000);
    await run(signal);
    await client.mine({ blocks: 1 });
    const { transactions } = await client.getBlock({ includeTransactions: true });
    expect(transactions.map(({ from }) => from)).toEqual([keeper.address.toLowerCase()]);
    const hashes = (info.mock.calls as [{ txHash: string }][]).slice(-3).map(([{ txHash }]) => txHash);
    expect(new Set(hashes).size).toBe(3);
    expect(transactions[0]!.hash).toBe(hashes[2]);
  });
});
