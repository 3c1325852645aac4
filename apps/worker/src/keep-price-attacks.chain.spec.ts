import { resolve } from 'node:path';
import { createActiveChains, type ActiveChain } from '@yield-vault/chains';
import { chainFacts, deployContracts, updatePaymasterPrice } from '@yield-vault/contracts';
import { loadConfig } from '@yield-vault/deployment';
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

describe('attack: what stops the price keeper', () => {
  let anvil: Anvil;
  let chain: ActiveChain;
  let client: ChainClient;
  let snapshot: `0x${string}`;
  const info = jest.fn();

  const keep = (limits: { readonly maxCostUsdc?: bigint } = {}) =>
    createPriceKeeper(chain, keeper, { deviationBps: 50, maxCostUsdc: 10_000_000n, ...limits }, { info });
  const wallet = () => createWalletClient({ account: operator, transport: http(anvil.rpcUrl) });
  const setFeed = async (feed: Address, functionName: 'setAnswer' | 'setRound', args: readonly bigint[]) => {
    const call = { address: feed, abi: localPriceFeedAbi, functionName, args, chain: null };
    await client.waitForTransactionReceipt({ hash: await wallet().writeContract(call as never) });
  };
  const sent = () => client.getTransactionCount({ address: keeper.address });
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
  afterEach(() => client.revert({ id: snapshot }));

  const setBaseFee = async (gwei: string) => {
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) });
    await client.mine({ blocks: 1 });
  };

  // Agents take operations on Ethereum up to 60 gwei, and at up to 5,000 dollars for an ether.
  it.each([
    [2_500n, '60'],
    [4_000n, '30'],
    [4_000n, '45'],
    [4_000n, '60'],
  ])('while operations run at %i dollars and %s gwei, a default keeper refreshes', async (dollars, gwei) => {
    await setFeed(nativeUsd, 'setAnswer', [dollars * 10n ** 8n]);
    await updatePaymasterPrice(wallet(), client, chain.contracts.paymaster);
    await pass(half + 10);
    await setBaseFee(gwei);
    await expect(keep().run(signal)).resolves.toBe('done');
    expect(await sent()).toBe(1);
  });

  it('a transaction that waits is replaced, for a tenth more, while that costs less than the default limit', async () => {
    await pass(half + 10);
    await setBaseFee('45');
    await client.setAutomine(false);
    await keep().run(signal);
    const again = await keep()
      .run(signal)
      .then(String, (error: Error) => error.message);
    await client.mine({ blocks: 1 });
    await client.setAutomine(true);
    expect(again).toBe('done');
  });
});
