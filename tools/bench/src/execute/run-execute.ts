import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { createTemporaryPostgres, isPostgresReachable } from '@yield-vault/database/testing';
import { fundWallet, setUpWallet, startDevnet, startServer, type DevnetChain } from '@yield-vault/devnet';
import {
  intentTypes,
  type DiscoverResponse,
  type ExecuteResponse,
  type PrepareExecutionResponse,
} from '@yield-vault/protocol';
import { startTcpProxy } from '@yield-vault/testing';
import getPort from 'get-port';
import { createPublicClient, getAbiItem, webSocket, type Hex, type PrivateKeyAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/** Times of one way to execute, in milliseconds, operation by operation. */
export interface ExecuteSample {
  /** From the request to the send at the bundler. */
  readonly before: readonly number[];
  /** From the send at the bundler to the operation in a block. */
  readonly bundler: readonly number[];
  /** From the block to the response. */
  readonly after: readonly number[];
  /** Of the node; 0 without preflight. */
  readonly simulation: readonly number[];
}

/** Both ways, on one chain. */
export type ExecuteRun = Readonly<Record<'off' | 'enforce', ExecuteSample>>;

// Until the compilers have met the whole path.
const warmUps = 30;

/** Measure execute over HTTP, without and with preflight, beside the bundler's time for the same operations. */
export async function runExecute(requests: number): Promise<ExecuteRun> {
  const devnet = await startDevnet();
  try {
    const base = devnet.chains.find(({ key }) => key === 'base');
    if (!base) throw new Error('The devnet has no Base');
    const clock = watchOperations(base);
    const [rpc, bundler] = await Promise.all([
      startTcpProxy(base.rpcUrl, clock.seeNode),
      startTcpProxy(base.bundlerUrl, clock.seeBundler),
    ]);
    const others = devnet.chains.filter((chain) => chain !== base);
    const chains = [...others, { ...base, rpcUrl: rpc.url, bundlerUrl: bundler.url }];
    const measure = (mode: 'off' | 'enforce') =>
      withServer(chains, mode, (apiUrl) => measureDeposits(apiUrl, base, clock, requests));
    try {
      return { off: await measure('off'), enforce: await measure('enforce') };
    } finally {
      await Promise.all([rpc.stop(), bundler.stop(), clock.stop()]);
    }
  } finally {
    await devnet.stop();
  }
}

async function withServer<T>(
  chains: readonly DevnetChain[],
  preflightMode: string,
  use: (apiUrl: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  const database = isPostgresReachable() ? await createTemporaryPostgres() : undefined;
  const server = await startServer({
    ...{ chains, host: '127.0.0.1', port: await getPort() },
    env: { PREFLIGHT_MODE: preflightMode, DATABASE_URL: database?.url ?? '' },
    ...{ dataDirectory: join(directory, 'database'), logFile: join(directory, 'api.log') },
  });
  try {
    return await use(server.url);
  } finally {
    await server.stop();
    await database?.drop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measureDeposits(
  apiUrl: string,
  base: DevnetChain,
  clock: Clock,
  count: number,
): Promise<ExecuteSample> {
  const account = privateKeyToAccount(generatePrivateKey());
  await fundWallet(base, account.address, { ethWei: 10n ** 18n, usdc: 10_000_000_000n });
  await setUpWallet(base, account, { allowance: 10_000_000_000n });
  const { vaults } = await post<DiscoverResponse>(apiUrl, 'discover', { chain: base.key, asset: 'USDC' });
  const deposit = {
    ...{ chain: base.key, agentAddress: account.address, vaultId: vaults[0]?.vaultId },
    ...{ asset: 'USDC', amount: '1' },
  };
  const sample: Record<keyof ExecuteSample, number[]> = {
    before: [],
    bundler: [],
    after: [],
    simulation: [],
  };
  for (let done = -warmUps; done < count; done++) {
    const intent = await sign(account, await post<PrepareExecutionResponse>(apiUrl, 'prepare', deposit));
    const start = performance.now();
    const { userOpHash } = await post<ExecuteResponse>(apiUrl, 'execute', intent);
    const end = performance.now();
    const { sentAt, includedAt, simulation } = await clock.take(userOpHash);
    if (done < 0) continue;
    sample.before.push(sentAt - start);
    sample.bundler.push(includedAt - sentAt);
    sample.after.push(end - includedAt);
    sample.simulation.push(simulation);
  }
  return sample;
}

type Clock = ReturnType<typeof watchOperations>;

/** Note when the bundler gets an operation, how long the node simulates, and when it reports the operation in a block. */
function watchOperations(base: DevnetChain) {
  let [sentAt, simulatedAt, simulation] = [0, 0, 0];
  const included = new Map<Hex, number>();
  const seeBundler: Parameters<typeof startTcpProxy>[1] = (what, bytes) => {
    if (what === 'request' && bytes.includes('eth_sendUserOperation')) sentAt = performance.now();
  };
  const seeNode: Parameters<typeof startTcpProxy>[1] = (what, bytes) => {
    if (what === 'request' && bytes.includes('eth_simulateV1')) simulatedAt = performance.now();
    // Only the response to a simulation has calls.
    if (what === 'response' && bytes.includes('"calls":')) simulation = performance.now() - simulatedAt;
  };
  const socket = webSocket(base.rpcUrl.replace('http', 'ws'), { reconnect: false });
  const node = createPublicClient({ transport: socket });
  const unwatch = node.watchEvent({
    address: base.entryPoint,
    event: getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' }),
    strict: true,
    onLogs: (logs) => logs.forEach(({ args }) => included.set(args.userOpHash, performance.now())),
  });
  const take = async (userOpHash: Hex) => {
    while (!included.has(userOpHash)) await new Promise((resolve) => setTimeout(resolve, 5));
    const times = { sentAt, simulation, includedAt: included.get(userOpHash)! };
    simulation = 0;
    return times;
  };
  const stop = async () => {
    unwatch();
    (await node.transport.getRpcClient()).close();
  };
  return { seeBundler, seeNode, take, stop };
}

async function sign(account: PrivateKeyAccount, { execution: { intentEnvelope } }: PrepareExecutionResponse) {
  const { domain, message } = intentEnvelope.signing;
  const intentSignature = await account.signTypedData({
    ...{ domain, types: intentTypes, primaryType: 'Intent' },
    message: { ...message, chainId: BigInt(message.chainId) },
  });
  return { intentEnvelope, intentSignature };
}

async function post<Body>(apiUrl: string, route: string, body: object): Promise<Body> {
  const response = await fetch(`${apiUrl}/v1/yield/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as Body;
  if (!response.ok) throw new Error(`${route}: ${JSON.stringify(result)}`);
  return result;
}
