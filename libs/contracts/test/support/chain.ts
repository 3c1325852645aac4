import { setTimeout as pause } from 'node:timers/promises';
import {
  type Abi,
  type Address,
  type Chain,
  type Hex,
  type HttpTransport,
  type PrivateKeyAccount,
  type PublicClient,
  type TestClient,
  type TransactionReceipt,
  type WalletClient,
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  encodeAbiParameters,
  encodeDeployData,
  http,
  keccak256,
  numberToHex,
  pad,
  parseEther,
  toHex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startAnvil as start } from '@yield-vault/forks/anvil';
import { type Read, reading } from './calls.js';
import { canonical, contractAddresses, localPaymasterOwner } from '../../src/address-book.js';
import { chainFacts } from '../../src/chains/chains.js';
import { type DeployContractsReport, deployContracts } from '../../src/deploy-contracts.js';
import { updatePaymasterPrice } from '../../src/paymaster-price.js';
import { localPriceFeedAbi, localPriceFeedDeployedBytecode } from '../generated/LocalPriceFeed.js';
import { localUsdcProxyDeployedBytecode } from '../generated/LocalUsdcProxy.js';
import { localUsdcDeployedBytecode } from '../generated/LocalUsdc.js';

/** Key of the first Anvil account, which deploys, bundles, and owns the paymaster. */
export const operatorKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const operator = privateKeyToAccount(operatorKey);

export const localContracts = contractAddresses(8453, { owner: localPaymasterOwner });
export const onBase = { usdc: chainFacts(8453).usdc.address, paymaster: localContracts.paymaster };
export const entryPoint = canonical.entryPointV08;
const usdcBalanceSlot = 9n;
const usdcImplementation: Address = '0x2ce6311ddae708829bc0784c967b7d77d19fd779';
// An admin that never calls: the proxy refuses the address in its admin slot.
const usdcProxySlots = ['admin', 'implementation'].map((name) =>
  keccak256(toHex(`org.zeppelinos.proxy.${name}`)),
);
export const ethUsd = 2_500n * 10n ** 8n;

type Wallet = WalletClient<HttpTransport, Chain, PrivateKeyAccount>;

/** Start a local chain on a free port. */
export async function startAnvil({ chainId, args = [] }: { chainId: number; args?: readonly string[] }) {
  const { rpcUrl, kill } = await start({ args: ['--chain-id', String(chainId), ...args] });
  return { rpcUrl, stop: kill };
}

export interface TestChain {
  readonly chainId: 1 | 8453;
  readonly client: PublicClient<HttpTransport, Chain>;
  readonly node: TestClient<'anvil', HttpTransport, Chain>;
  /** Of {@link operator}. */
  readonly wallet: Wallet;
  walletOf(account: PrivateKeyAccount): Wallet;
  readonly usdc: Address;
  readonly feed: Address;
  /** Ours. */
  readonly paymaster: Address;
  readonly report: DeployContractsReport;
  readonly read: Read;
  /** Send a call, as {@link operator} where nobody else is given. */
  write(
    address: Address,
    abi: Abi | readonly unknown[],
    functionName: string,
    args?: readonly unknown[],
    from?: PrivateKeyAccount,
  ): Promise<TransactionReceipt>;
  mined(hash: Promise<Hex>): Promise<TransactionReceipt>;
  /** Mint by writing the balance slot of the local USDC. */
  setUsdc(owner: Address, amount: bigint): Promise<void>;
  /** A fresh key with ether. */
  agent(): Promise<PrivateKeyAccount>;
  deploy(abi: Abi | readonly unknown[], bytecode: Hex, args?: readonly unknown[]): Promise<Address>;
  stop(): Promise<void>;
}

/** A node of the real Base to fork; `undefined` runs local chains alone. */
export const baseForkUrl = process.env['BASE_FORK_URL'];

/** An Anvil chain with USDC and the feed at their canonical addresses, and our contracts deployed and funded. */
export async function startTestChain(
  chainId: 1 | 8453 = 8453,
  {
    forkUrl,
    isTraced = false,
  }: {
    /** A node of the real chain: its USDC and feeds are used. */
    readonly forkUrl?: string | undefined;
    /** Whether Anvil keeps every step for `debug_traceTransaction`, several gigabytes for a large bundle. */
    readonly isTraced?: boolean;
  } = {},
): Promise<TestChain> {
  const fork = forkUrl ? ['--fork-url', forkUrl, '--no-storage-caching'] : [];
  const traced = isTraced ? ['--steps-tracing'] : [];
  const anvil = await startAnvil({ chainId, args: ['--order', 'fifo', ...traced, ...fork] });
  const chain = defineChain({
    id: chainId,
    name: 'test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [anvil.rpcUrl] } },
  });
  const transport = http(anvil.rpcUrl);
  const client = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
  const node = createTestClient({ mode: 'anvil', chain, transport });
  const walletOf = (account: PrivateKeyAccount) => createWalletClient({ account, chain, transport });
  const wallet = walletOf(operator);
  const facts = chainFacts(chainId);
  const usdc = facts.usdc.address;
  const { feed } = facts.wrappedNative.price;

  async function mined(hash: Promise<Hex>) {
    const sent = { hash: await hash };
    // viem would wait for another block when it sees the number of this one before its receipts.
    let receipt: TransactionReceipt | undefined;
    // Anvil works on a large block for seconds, and each question delays it.
    for (let pauseMs = 5; !receipt; pauseMs = Math.min(2 * pauseMs, 1_000))
      receipt = await client.getTransactionReceipt(sent).catch(() => pause(pauseMs));
    // Anvil counts the next nonce in its pool, which can forget the transaction after its receipt is there.
    const count = (blockTag: 'latest' | 'pending') =>
      client.getTransactionCount({ address: receipt.from, blockTag });
    while ((await count('pending')) !== (await count('latest')));
    return receipt;
  }
  const write: TestChain['write'] = (address, abi, functionName, args = [], from = operator) =>
    mined(walletOf(from).writeContract({ address, abi, functionName, args } as never));
  async function placeTokenAndFeeds() {
    await node.setCode({ address: usdc, bytecode: localUsdcProxyDeployedBytecode });
    await node.setCode({ address: usdcImplementation, bytecode: localUsdcDeployedBytecode });
    for (const index of usdcProxySlots) {
      await node.setStorageAt({ address: usdc, index, value: pad(usdcImplementation) });
    }
    const { sequencerFeed } = facts;
    const usdcUsdFeed = facts.usdc.price.feed;
    const feeds = [feed, usdcUsdFeed, ...(sequencerFeed ? [sequencerFeed] : [])];
    for (const address of feeds) await node.setCode({ address, bytecode: localPriceFeedDeployedBytecode });
    await write(feed, localPriceFeedAbi, 'setAnswer', [ethUsd]);
    await write(usdcUsdFeed, localPriceFeedAbi, 'setAnswer', [10n ** 8n]);
    // The sequencer has always been up.
    if (sequencerFeed) await write(sequencerFeed, localPriceFeedAbi, 'setRound', [0n, 1n]);
  }

  await node.setBalance({ address: operator.address, value: parseEther('10000') });
  if (!forkUrl) await placeTokenAndFeeds();
  const report = await deployContracts(wallet, client, {
    paymaster: { owner: operator.address },
    paymasterDepositWei: parseEther('100'),
    paymasterStakeWei: parseEther('1'),
  });
  const { paymaster } = contractAddresses(chainId, { owner: operator.address });
  await updatePaymasterPrice(wallet, client, paymaster);

  return {
    chainId,
    client,
    node,
    wallet,
    walletOf,
    usdc,
    feed,
    paymaster,
    report,
    read: reading(client),
    write,
    mined,
    setUsdc(owner, amount) {
      const key = encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [owner, usdcBalanceSlot]);
      const value = numberToHex(amount, { size: 32 });
      return node.setStorageAt({ address: usdc, index: keccak256(key), value });
    },

    async agent() {
      const account = privateKeyToAccount(generatePrivateKey());
      await node.setBalance({ address: account.address, value: parseEther('10') });
      return account;
    },

    async deploy(
      abi: Abi | readonly unknown[],
      bytecode: Hex,
      args: readonly unknown[] = [],
    ): Promise<Address> {
      const data = encodeDeployData({ abi: abi as Abi, bytecode, args });
      const { contractAddress } = await mined(wallet.sendTransaction({ data }));
      if (!contractAddress) throw new Error('nothing was deployed');
      return contractAddress;
    },

    stop: () => anvil.stop(),
  };
}

/** Start one chain for all tests of a block. Its members exist from `beforeAll` on. */
export function useTestChain(...options: Parameters<typeof startTestChain>): TestChain {
  const chain = {} as TestChain;
  beforeAll(async () => {
    Object.assign(chain, await startTestChain(...options));
  });
  afterAll(() => chain.stop());
  return chain;
}

/** Run something, and take back what it did to the chain. */
export async function undone<T>({ node }: TestChain, action: () => Promise<T>): Promise<T> {
  const id = await node.snapshot();
  const result = await action();
  await node.revert({ id });
  return result;
}

/** Take back after each test of a block what it did to the chain. */
export function undoEachTest(chain: TestChain): void {
  let id: Hex;
  beforeEach(async () => {
    id = await chain.node.snapshot();
  });
  afterEach(() => chain.node.revert({ id }));
}

/** Mine an empty block with this time. */
export async function mineAt({ node }: TestChain, timestamp: bigint | number): Promise<void> {
  await node.setNextBlockTimestamp({ timestamp: BigInt(timestamp) });
  await node.mine({ blocks: 1 });
}
