import { startAnvil } from '../src/start-anvil.js';
import {
  createTestClient,
  encodeFunctionData,
  http,
  maxUint256,
  parseEther,
  publicActions,
  walletActions,
  type Address,
  type Client,
  type Hex,
  type HttpTransport,
  type PublicActions,
  type TestActions,
  type TransactionReceipt,
  type WalletActions,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { type Read, reading } from '../../contracts/test/support/calls.js';
import {
  localAddresses,
  localOperator,
  localUsdcAbi,
  provisionLocalChain,
  type LocalAddresses,
  type LocalChainId,
  type LocalNode,
} from '../src/local-chain/index.js';

const mnemonic = 'test test test test test test test test test test test junk';

/** An account that every Anvil funds. */
export function devAccount(index: number) {
  return mnemonicToAccount(mnemonic, { addressIndex: index });
}

export type LocalChainClient = Client<
  HttpTransport,
  undefined,
  undefined,
  undefined,
  TestActions & PublicActions<HttpTransport> & WalletActions
>;

function createClient(rpcUrl: string): LocalChainClient {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl), pollingInterval: 20, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions);
}

export interface ProvisionedChain {
  readonly client: LocalChainClient;
  readonly addresses: LocalAddresses;
  readonly read: Read;
  stop(): Promise<void>;
  /** Send as the holder of every USDC role. */
  asOperator(call: { readonly to: Address; readonly data: Hex }): Promise<TransactionReceipt>;
  mintUsdc(to: Address, amount: bigint): Promise<void>;
}

/** Start a fresh local chain with everything `provisionLocalChain` puts on it. */
export async function startProvisionedChain(chainId: LocalChainId): Promise<ProvisionedChain> {
  const anvil = await startAnvil({ chainId });
  const client = createClient(anvil.rpcUrl);
  await provisionLocalChain(client as LocalNode, chainId);
  const addresses = localAddresses[chainId];

  const asOperator: ProvisionedChain['asOperator'] = async (call) => {
    await client.impersonateAccount({ address: localOperator });
    await client.setBalance({ address: localOperator, value: parseEther('10') });
    const hash = await client.sendTransaction({ account: localOperator, chain: null, ...call });
    return client.waitForTransactionReceipt({ hash });
  };
  const callUsdc = (functionName: 'configureMinter' | 'mint', args: readonly [Address, bigint]) =>
    asOperator({
      to: addresses.usdc,
      data: encodeFunctionData({ abi: localUsdcAbi, functionName, args }),
    });

  return {
    client,
    addresses,
    read: reading(client as never),
    stop: anvil.stop,
    asOperator,
    async mintUsdc(to, amount) {
      await callUsdc('configureMinter', [localOperator, maxUint256]);
      await callUsdc('mint', [to, amount]);
    },
  };
}
