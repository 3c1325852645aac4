import type { ActiveChain } from '@yield-vault/chains';
import { activeBase, depositThroughBundler, setUpWallet } from '@yield-vault/devnet';
import type { PrepareRequest } from '@yield-vault/protocol';
import { createPublicClient, custom, stringify } from 'viem';
import { createBuilder, vaults } from '../builder.js';
import { atMost, benchmark, goal, mapValues, measure, median, quantile, ratio, timed } from '../harness.js';
import { sequentialTrips, startLatencyProxy } from '../latency-proxy.js';
import { newWallet, startBase } from '../service.js';

const most = { trips: 2, ratio: 2.5, cpuMs: 3 };
export const prepare = benchmark({
  description: 'time and round trips of prepare for a configured wallet, with a distant node and bundler',
  options: { latency: 50, n: 100 },
  run: async ({ latency, n }, defer) => {
    const local = await startBase(defer);
    const wallet = await newWallet(local);
    await setUpWallet(local, wallet);
    await depositThroughBundler(local, wallet, vaults[0]!.vaultAddress, 100_000_000n);
    const request = { chain: 'base', agentAddress: wallet.address, vaultId: vaults[0]!.vaultId };
    const deposit: PrepareRequest = { ...request, operation: 'deposit', asset: 'USDC', amount: '25' };

    const node = await startLatencyProxy(local.rpcUrl, latency, defer);
    const bundler = await startLatencyProxy(local.bundlerUrl, latency, defer);
    const distant = activeBase({ rpcUrl: node.url, bundlerUrl: bundler.url });
    const builder = createBuilder(distant);
    const observe = (run: () => Promise<unknown>) => async () => {
      const { ms } = await timed(run);
      const [toNode, toBundler] = [node.takeTrips(), bundler.takeTrips()];
      const trips = sequentialTrips([...toNode, ...toBundler]);
      return { ms, toNode: toNode.length, toBundler: toBundler.length, trips };
    };
    const { trip, ...kinds } = await measure(
      {
        trip: observe(() => distant.rpc.getChainId()),
        deposit: observe(() => builder.prepare(deposit)),
        'redeem 50 %': observe(() => builder.prepare({ ...request, operation: 'redeem', percentage: 50 })),
        rebalance: observe(() => builder.prepare({ ...request, operation: 'rebalance' })),
      },
      { rounds: n, warmUps: 10 },
    );

    const startedAt = Date.now();
    const near = createBuilder(rememberResponses(activeBase(local)), () => startedAt);
    const work = async () => {
      const start = process.cpuUsage();
      await near.prepare(deposit);
      const { user, system } = process.cpuUsage(start);
      return { ms: (user + system) / 1_000 };
    };
    const { cpu } = await measure({ cpu: work }, { rounds: n, warmUps: 300 });

    const times = (ms: readonly number[]) => ({ 'p50 (ms)': ms, 'p95 (ms)': quantile(ms, 0.95) });
    return {
      'one round trip': times(trip.ms),
      ...mapValues(kinds, ({ ms, toNode, toBundler, trips }) => {
        const roundTrips = ratio(ms, trip.ms);
        const isMet = median(trips) <= most.trips && roundTrips <= most.ratio;
        return {
          ...times(ms),
          'to node': toNode,
          'to bundler': toBundler,
          'in a row': trips,
          'round trips': roundTrips,
          ...goal(`<= ${most.trips} in a row, <= ${most.ratio}x`, isMet),
        };
      }),
      'CPU of a deposit': { ...times(cpu.ms), ...atMost(most.cpuMs, cpu.ms) },
    };
  },
});

/** Make a chain that sends each request once, so that later runs measure the caller's own work only. */
function rememberResponses({ rpc, bundler, ...chain }: ActiveChain): ActiveChain {
  const remember = <Args extends unknown[], T>(send: (...args: Args) => Promise<T>) => {
    const responses = new Map<string, Promise<T>>();
    return (...args: Args) => {
      const key = stringify(args);
      const response = responses.get(key) ?? send(...args);
      responses.set(key, response);
      return response;
    };
  };
  const request = remember((question) => rpc.request(question as never));
  return {
    ...chain,
    rpc: createPublicClient({ chain: rpc.chain, cacheTime: 0, transport: custom({ request }) }),
    bundler: {
      ...bundler!,
      gasPrice: remember(() => bundler!.gasPrice()),
      estimate: remember((operation) => bundler!.estimate(operation)),
    },
  };
}
