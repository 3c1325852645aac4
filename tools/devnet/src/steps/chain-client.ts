import {
  createTestClient,
  http,
  publicActions,
  type Client,
  type HttpTransport,
  type PublicActions,
  type TestActions,
} from 'viem';

/** A client that reads a devnet chain and commands its node. */
export type ChainClient = Client<
  HttpTransport,
  undefined,
  undefined,
  undefined,
  TestActions & PublicActions<HttpTransport>
>;

/** Make a client of a devnet chain. */
export function createChainClient(rpcUrl: string): ChainClient {
  return createTestClient({
    mode: 'anvil',
    transport: http(rpcUrl, { retryCount: 0, timeout: 60_000 }),
    pollingInterval: 20,
    cacheTime: 0,
  }).extend(publicActions);
}

/** Send a JSON-RPC request that the typed client does not know. */
export function request<Result>(
  client: ChainClient,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  return (client.request as (args: { method: string; params: readonly unknown[] }) => Promise<Result>)({
    method,
    params,
  });
}
