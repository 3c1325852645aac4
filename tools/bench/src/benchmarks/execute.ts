import { execute as executeOperation } from '@yield-vault/agent-client';
import { entryPointV08Abi } from '@yield-vault/contracts';
import { setUpWallet, type DevnetChain } from '@yield-vault/devnet';
import { startTcpProxy } from '@yield-vault/testing';
import { createPublicClient, getAbiItem, webSocket, type Hex } from 'viem';
import { atMost, benchmark, mapValues, measure, median, type Defer } from '../harness.js';
import { newAgent, startChains, startDatabase, startService } from '../service.js';

const mostOwnMs = 15;

export const execute = benchmark({
  description:
    "milliseconds that execute adds to the bundler's time, without and with preflight; api must be built",
  options: { n: 40 },
  run: async ({ n }, defer) => {
    const { chains, base } = await startChains(defer);
    const clock = watchOperations(base, defer);
    const [rpc, bundler] = await Promise.all([
      startTcpProxy(base.rpcUrl, clock.seeNode),
      startTcpProxy(base.bundlerUrl, clock.seeBundler),
    ]);
    defer(() => Promise.all([rpc.stop(), bundler.stop()]));
    const behind = { ...base, rpcUrl: rpc.url, bundlerUrl: bundler.url };
    // Replicas, so that the second one finds the past in the database.
    const DATABASE_URL = await startDatabase(defer);
    const start = async (PREFLIGHT_MODE: string) => {
      const seen = chains.map((chain) => (chain === base ? behind : chain));
      return createDeposit(await startService(seen, { DATABASE_URL, PREFLIGHT_MODE }, defer), base, clock);
    };
    const times = await measure(
      { 'without preflight': await start('off'), 'with preflight': await start('enforce') },
      // The compilers meet the whole path first.
      { rounds: n, warmUps: 30 },
    );
    return mapValues(times, ({ bundler, before, after, simulation, own }) => ({
      bundler,
      'before the send': before,
      'after the block': after,
      simulation,
      own,
      ...atMost(mostOwnMs + median(simulation), own),
    }));
  },
});

/** Set a wallet up. Each call then deposits. */
async function createDeposit(url: string, base: DevnetChain, clock: ReturnType<typeof watchOperations>) {
  const { agent, requests } = await newAgent(url, base);
  await setUpWallet(base, agent.signer);
  const { vaults } = await agent.client.discover({ chain: base.key, asset: 'USDC' });
  const deposit = {
    operation: 'deposit',
    vault: vaults[0]!.vaultAddress,
    asset: 'USDC',
    amount: '1',
  } as const;
  return async () => {
    const { execution } = await executeOperation(agent, deposit);
    const { start, end } = requests.at(-1)!;
    const { sentAt, includedAt, simulation } = await clock.take(execution.userOpHash);
    const [before, after] = [sentAt - start, end - includedAt];
    return { before, bundler: includedAt - sentAt, after, simulation, own: before + after };
  };
}

/** Note when the bundler gets an operation, how long the node simulates, and when it reports the operation in a block. */
function watchOperations(base: DevnetChain, defer: Defer) {
  let [sentAt, simulatedAt, simulation] = [0, 0, 0];
  const included = new Map<Hex, number>();
  const transport = webSocket(base.rpcUrl.replace('http', 'ws'), { reconnect: false });
  const node = createPublicClient({ transport });
  defer(async () => (await node.transport.getRpcClient()).close());
  node.watchEvent({
    address: base.entryPoint,
    event: getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' }),
    strict: true,
    onLogs: (logs) => logs.forEach(({ args }) => included.set(args.userOpHash, performance.now())),
  });
  return {
    seeBundler: (what: string, bytes: Buffer) => {
      if (what === 'request' && bytes.includes('eth_sendUserOperation')) sentAt = performance.now();
    },
    seeNode: (what: string, bytes: Buffer) => {
      if (what === 'request' && bytes.includes('eth_simulateV1')) simulatedAt = performance.now();
      // Only the response to a simulation has calls.
      if (what === 'response' && bytes.includes('"calls":')) simulation = performance.now() - simulatedAt;
    },
    take: async (userOpHash: Hex) => {
      while (!included.has(userOpHash)) await new Promise((resolve) => setTimeout(resolve, 5));
      const times = { sentAt, simulation, includedAt: included.get(userOpHash)! };
      simulation = 0;
      return times;
    },
  };
}
