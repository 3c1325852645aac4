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
  encodeDeployData,
  http,
  parseEther,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startAnvil } from '@yield-vault/testing';
import { type SuiteOptions, canonical, suiteAddresses } from '../../src/address-book.js';
import { type DeploySuiteReport, deploySuite } from '../../src/deploy-suite.js';
import { localPriceFeedAbi, placeLocalContracts, setLocalUsdcBalance } from '../../src/local.js';

/** First Anvil account: deploys, bundles, and owns the paymaster. */
export const operator = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
);

export const suite = suiteAddresses();
export const entryPoint = canonical.entryPointV08;
export const ethUsd = 2_500n * 10n ** 8n;

type Wallet = WalletClient<HttpTransport, Chain, PrivateKeyAccount>;

export interface TestChain {
  readonly chainId: 1 | 8453;
  readonly client: PublicClient<HttpTransport, Chain>;
  readonly node: TestClient<'anvil', HttpTransport, Chain>;
  /** Of {@link operator}. */
  readonly wallet: Wallet;
  walletOf(account: PrivateKeyAccount): Wallet;
  readonly usdc: Address;
  readonly feed: Address;
  readonly report: DeploySuiteReport;
  mined(hash: Promise<Hex>): Promise<TransactionReceipt>;
  /** Mint by writing the balance slot of the local USDC. */
  setUsdc(owner: Address, amount: bigint): Promise<void>;
  /** A fresh key with ether. */
  agent(): Promise<PrivateKeyAccount>;
  deploy(abi: Abi | readonly unknown[], bytecode: Hex, args?: readonly unknown[]): Promise<Address>;
  stop(): Promise<void>;
}

/** An Anvil chain with USDC and the feed at their canonical addresses and the suite deployed and funded. */
export async function startTestChain(
  chainId: 1 | 8453 = 8453,
  options: SuiteOptions = {},
): Promise<TestChain> {
  const anvil = await startAnvil({ chainId, args: ['--order', 'fifo'] });
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
  const usdc: Address = canonical.usdc[chainId];
  const feed: Address = canonical.ethUsdFeed[chainId];

  await placeLocalContracts(node, chainId);
  const mined = async (hash: Promise<Hex>) => client.waitForTransactionReceipt({ hash: await hash });
  await mined(
    wallet.writeContract({
      address: feed,
      abi: localPriceFeedAbi,
      functionName: 'setAnswer',
      args: [ethUsd],
    }),
  );
  const report = await deploySuite(wallet, client, {
    ...options,
    paymasterDepositWei: parseEther('100'),
    paymasterStakeWei: parseEther('1'),
  });

  return {
    chainId,
    client,
    node,
    wallet,
    walletOf,
    usdc,
    feed,
    report,
    mined,
    setUsdc: (owner: Address, amount: bigint) => setLocalUsdcBalance(node, chainId, owner, amount),

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
