import { canonical } from '@yield-vault/contracts';
import { localPriceFeedAbi, provisionLocalChain } from '@yield-vault/testing/local';
import { type Anvil, startAnvil } from '@yield-vault/testing';
import { type Address, createTestClient, http, publicActions, walletActions } from 'viem';
import { readHeader } from '../chain/block-finder.js';
import { readBatches, toBatches } from '../chain/read-contracts.js';
import { priceSources, silentLogger } from '../ports.js';
import { createPricer } from './create-pricer.js';
import type { Pricer } from './priced-assets.js';

const chainId = 8453;
const usdc = canonical.usdc[chainId];
const weth = canonical.weth[chainId];
const account: Address = '0x7000000000000000000000000000000000000007';
const warnings: object[] = [];

let anvil: Anvil;
const clientOf = () =>
  createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
let client: ReturnType<typeof clientOf>;

beforeAll(async () => {
  anvil = await startAnvil({ chainId });
  client = clientOf();
  await provisionLocalChain(client as never, chainId);
  await client.impersonateAccount({ address: account });
  await client.setBalance({ address: account, value: 10n ** 20n });
});
afterAll(() => anvil.stop());

const createLocalPricer = () =>
  createPricer({
    chain: { key: 'base', chainId },
    assets: [
      { address: usdc, isUsdPegged: true },
      { address: weth, isUsdPegged: false },
    ],
    logger: { ...silentLogger, warn: (fields) => warnings.push(fields) },
    now: () => Date.now(),
  });

async function pricesAt(pricer: Pricer, block: number) {
  const header = await readHeader(client as never, block);
  const results = await readBatches(client as never, toBatches(pricer.reads(), 100), BigInt(block));
  return pricer.prices(header, results);
}

/** @returns the block that holds it */
async function setRound(feed: Address, response: bigint, updatedAt: bigint): Promise<number> {
  const hash = await client.writeContract({
    ...{ address: feed, abi: localPriceFeedAbi, functionName: 'setRound', args: [response, updatedAt] },
    ...{ account, chain: null },
  });
  return Number((await client.waitForTransactionReceipt({ hash })).blockNumber);
}

describe('createPricer on a local chain', () => {
  it('default: its feeds match the table, and price its assets', async () => {
    const pricer = createLocalPricer();
    const prices = await pricesAt(pricer, Number(await client.getBlockNumber()));
    expect(warnings).toEqual([]);
    expect(prices.get(usdc.toLowerCase())).toEqual({ usd: 1, source: priceSources.feed });
    expect(prices.get(weth.toLowerCase())).toEqual({ usd: 3_200, source: priceSources.feed });
  });

  it('behavior: a block has the price of that block', async () => {
    const feed = canonical.ethUsdFeed[chainId];
    const { timestamp } = await client.getBlock();
    const early = await setRound(feed, 1_500_00000000n, timestamp);
    const late = await setRound(feed, 1_600_00000000n, timestamp);
    const pricer = createLocalPricer();
    expect((await pricesAt(pricer, late)).get(weth.toLowerCase())?.usd).toBe(1_600);
    expect((await pricesAt(pricer, early)).get(weth.toLowerCase())?.usd).toBe(1_500);
  });

  it('behavior: a round that is too old is no price', async () => {
    const feed = canonical.ethUsdFeed[chainId];
    const { timestamp } = await client.getBlock();
    const block = await setRound(feed, 1_500_00000000n, timestamp - 1_900n);
    const prices = await pricesAt(createLocalPricer(), block);
    expect(prices.get(weth.toLowerCase())).toEqual({ usd: 0, source: priceSources.unknown });
  });
});
