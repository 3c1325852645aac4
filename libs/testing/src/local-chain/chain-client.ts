import {
  createTestClient,
  encodeFunctionData,
  http,
  numberToHex,
  publicActions,
  type Address,
  type Client,
  type EncodeFunctionDataParameters,
  type Hex,
  type HttpTransport,
  type PublicActions,
  type TestActions,
} from 'viem';
import { localVaultAbi } from '../generated/LocalVault.js';
import { localOperator } from './local-chain.js';

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

/** A call of a contract function. */
export type ContractCall = EncodeFunctionDataParameters & {
  readonly address: Address;
  readonly value?: bigint;
};

/**
 * Call a contract as the local operator, who may mint USDC and manages the vaults, and wait for the receipt.
 *
 * @throws {Error} When it reverts.
 */
export function callAsOperator(
  client: ChainClient,
  { address, value, ...call }: ContractCall,
): Promise<void> {
  const data = encodeFunctionData(call);
  return sendAsOperator(client, { to: address, data, value }, `${String(call.functionName)} of ${address}`);
}

interface OperatorCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

// Transactions of one account sent at once would get the same nonce.
let lastSend: Promise<unknown> = Promise.resolve();

/** As `callAsOperator`, with encoded data. Calls of one process follow one another. */
export function sendAsOperator(client: ChainClient, call: OperatorCall, purpose: string): Promise<void> {
  const sending = lastSend.then(() => send(client, call, purpose));
  lastSend = sending.catch(() => undefined);
  return sending;
}

async function send(
  client: ChainClient,
  { value = 0n, ...call }: OperatorCall,
  purpose: string,
): Promise<void> {
  await client.impersonateAccount({ address: localOperator });
  const transaction = {
    from: localOperator,
    ...call,
    value: numberToHex(value),
    gas: numberToHex(10_000_000),
  };
  const receipt = await request<{ status: Hex }>(client, 'eth_sendTransactionSync', [transaction]);
  if (receipt.status !== '0x1') throw new Error(`${purpose} reverted`);
}

/** Take a fraction of the assets of a vault, in base units. */
export async function fractionOfAssets(client: ChainClient, vault: Address, wad: bigint): Promise<bigint> {
  const assets = await client.readContract({
    ...{ address: vault, abi: localVaultAbi, functionName: 'totalAssets' },
  });
  return (assets * wad) / 10n ** 18n;
}
