import { ServiceError, walkCauses } from '@yield-vault/protocol';
import {
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  type Account,
  type Address,
  type Chain,
  type CustomTransport,
  type Hex,
  type PublicClient,
  type WalletClient,
} from 'viem';
import type { AnvilFork } from './create-anvil-fork.js';

const pollingInterval = 20;

/** Make a viem client that reads a fork. */
export function createViemClient(fork: Pick<AnvilFork, 'request'>): PublicClient {
  return createPublicClient({
    transport: custom(
      { request: ({ method, params }: RpcCall) => fork.request(method, params) },
      { retryCount: 0 },
    ),
    pollingInterval,
    cacheTime: 0,
  });
}

/** Make a viem wallet that sends from any account. */
export function createViemWallet(
  fork: Pick<AnvilFork, 'request' | 'sendAs'>,
  chainId: number,
  address: Address,
): WalletClient<CustomTransport, Chain, Account> {
  const request = async ({ method, params }: RpcCall): Promise<unknown> => {
    if (method !== 'eth_sendTransaction') return fork.request(method, params);
    const { to, data, value } = params?.[0] as { to: Address; data?: Hex; value?: Hex };
    const sent = await fork.sendAs({ from: address, to, data, value: value && BigInt(value) });
    return sent.transactionHash;
  };
  return createWalletClient({
    account: address,
    chain: defineChain({
      id: chainId,
      name: `fork of ${String(chainId)}`,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [] } },
    }),
    transport: custom({ request }, { retryCount: 0 }),
  });
}

interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Find the service error that a viem client wrapped. */
export function findServiceError(error: unknown): ServiceError | undefined {
  return walkCauses(error).find((cause) => cause instanceof ServiceError);
}
