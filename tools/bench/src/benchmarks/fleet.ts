import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import { startDevnet, type DevnetChain } from '@yield-vault/devnet';
import { createChainClient } from '@yield-vault/testing/local';
import pLimit from 'p-limit';
import { encodeAbiParameters, keccak256, numberToHex, toHex } from 'viem';
import { startBundlerDouble } from '../bundler-double.js';
import { createSigner, drive, send, vaultOf, type Bundler } from '../fleet-load.js';
import {
  difference,
  list,
  perSecond,
  startProxies,
  sum,
  writeConfig,
  type Counts,
  type Proxies,
} from '../fleet-deployment.js';
import { atMost, benchmark, goal, mapValues, quantile, type Defer, type Table } from '../harness.js';
import { startDatabase, startService, startWorker } from '../service.js';

const mostRequests = 4;
/** A figure is flat while the last minute has at most so much of the first. */
const flat = 1.2;
/** A movement a week. */
const movements = 52;
const shares = 1_000_000n;

export const fleet = benchmark({
  description: 'three replicas and two workers under load; api and worker must be built',
  options: { wallets: 10_000, executesPerSecond: 20, minutes: 5, signers: 300, waiting: 5_000, latency: 50 },
  run: async ({ wallets, executesPerSecond, minutes, signers: count, waiting, latency }, defer) => {
    const devnet = await startDevnet({ historyDays: 1, bundlers: false, idleBlocks: false });
    defer(() => devnet.stop());
    const bundlers = await Promise.all(devnet.chains.map((chain) => startBundlerDouble(chain, defer)));
    const chains = devnet.chains.map((chain, index) => ({ ...chain, bundlerUrl: bundlers[index]!.url }));
    const DATABASE_URL = await startDatabase(defer);
    const env = { DATABASE_URL, WORKER: 'external', YIELD_VAULT_CONFIG: await writeConfig(defer) };
    const ofWorkers = await startProxies(chains, latency, defer);
    const ofReplicas = await startProxies(chains, latency, defer);
    for (let workers = 0; workers < 2; workers++) await startWorker(ofWorkers.chains, env, defer);
    const replicas = await Promise.all([1, 2, 3].map(() => startService(ofReplicas.chains, env, defer)));
    const database = await openDatabase({ url: DATABASE_URL });
    defer(() => database.close());
    const ms = minutes * 60_000;
    const minuteMs = Math.min(60_000, ms / 2);
    const windowMs = Math.min(10_000, ms);
    const readMemory = async () => (await sumMetric(replicas, 'resident_memory_bytes')) / 2 ** 20;
    let idleCpu = 0;
    /** Measure the processor time of the replicas for some work, in milliseconds beyond that of idle replicas. */
    const measureCpu = async <T>(work: () => Promise<T>) => {
      const read = async () => (await sumMetric(replicas, 'cpu_seconds_total')) * 1_000;
      const [cpu, start] = [await read(), performance.now()];
      const result = await work();
      return [result, (await read()) - cpu - idleCpu * (performance.now() - start)] as const;
    };
    const [idle, ofIdle] = await measureCpu(() => perSecond([ofReplicas, ofWorkers], windowMs));
    idleCpu = ofIdle / windowMs;
    const signers = await pLimit(8).map(Array.from({ length: count }), async (_, index) => {
      const signer = createSigner(chains[index % 2]!, bundlers[index % 2]!);
      await signer.setUp();
      return signer;
    });
    const before = [ofReplicas, ofWorkers].map((proxies) => proxies.count());
    const start = performance.now();
    const firstMemory = pause(minuteMs).then(readMemory);
    const [driven, cpu] = await measureCpu(() => drive(replicas, signers, executesPerSecond, ms));
    const [first, last] = [await firstMemory, await readMemory()];
    await untilResolved(database);
    const { calls, faults, pending, late } = driven;
    const seconds = (performance.now() - start) / 1_000;
    const [byReplicas, byWorkers] = [ofReplicas, ofWorkers].map((proxies, index) =>
      mapValues(difference(proxies.count(), before[index]!), (value, method) =>
        Math.max(0, (value - (idle[index]![method] ?? 0) * seconds) / calls.length),
      ),
    ) as [Counts, Counts];
    const requests = sum(byReplicas) + sum(byWorkers);
    const own = (share: number) => {
      const [first, last] = [0, ms - minuteMs].map((from) => {
        const minute = calls.filter(({ at }) => at >= from && at < from + minuteMs);
        return quantile(
          minute.map((call) => call.own),
          share,
        );
      }) as [number, number];
      return { first, last, ...atMost(flat * first, last) };
    };
    const [statuses, ofStatuses] = await measureCpu(() =>
      readStatuses(chains.at(-1)!, database, replicas, ofReplicas, wallets),
    );
    const waits = await compareWaits(chains, bundlers, env, [5, waiting], { latency, windowMs }, defer);
    const table: Table = {
      'idle requests/s of the replicas': { value: sum(idle[0]!), what: list(idle[0]!) },
      'idle requests/s of the workers': { value: sum(idle[1]!), what: list(idle[1]!) },
      'requests of an execute by a replica': { value: sum(byReplicas), what: list(byReplicas) },
      'requests of an execute by a worker': { value: sum(byWorkers), what: list(byWorkers) },
      'requests of an execute': { value: requests, ...atMost(mostRequests, requests) },
      'own time p50 (ms)': own(0.5),
      'own time p99 (ms)': own(0.99),
      'processor time of an execute (ms)': {
        value: cpu / calls.length,
        what: `${((1_000 * calls.length) / cpu).toFixed(0)} executes/s of one core`,
      },
      'memory of the replicas (MiB)': { first, last, ...atMost(flat * first, last) },
      'executes, and faults': {
        value: calls.length,
        what: `${faults.length} faults, ${pending} pending, ${late} late; ${faults[0] ?? ''}`,
        ...goal('no fault', faults.length + late === 0),
      },
      'processor time of a status (ms)': { value: ofStatuses / wallets },
      [`status of ${wallets} wallets`]: statuses,
      [`requests/s while 5, then ${waiting} calls wait`]: waits,
    };
    return table;
  },
});

/** Sum a metric of some processes. */
async function sumMetric(urls: readonly string[], name: string): Promise<number> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  const values = texts.map((text) => Number(new RegExp(`^\\w+process_${name} (\\S+)`, 'm').exec(text)?.[1]));
  return values.reduce((total, value) => total + value);
}

async function untilResolved({ db }: DatabaseHandle): Promise<void> {
  const open = db.selectFrom('intent').select('intent_id').where('state', 'in', ['submitted', 'included']);
  while (await open.limit(1).executeTakeFirst()) await pause(500);
}

/** Give wallets shares and a year of movements, and read the status of each. */
async function readStatuses(
  chain: DevnetChain,
  { db }: DatabaseHandle,
  replicas: readonly string[],
  proxies: Proxies,
  count: number,
) {
  const node = createChainClient(chain.rpcUrl);
  const head = await node.getBlockNumber();
  const vault = vaultOf(chain);
  const wallets = Array.from({ length: count }, (_, index) =>
    toHex(0xf1ee_7000_0000n + BigInt(index), { size: 20 }),
  );
  await pLimit(16).map(wallets, (wallet) => {
    const slot = encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [wallet, 0n]);
    const value = numberToHex(shares * BigInt(movements), { size: 32 });
    return node.setStorageAt({ address: vault, index: keccak256(slot), value });
  });
  const rows = (wallet: string) =>
    Array.from({ length: movements }, (_, index) => ({
      chain_id: chain.chainId,
      wallet,
      vault: vault.toLowerCase(),
      kind: 'deposit' as const,
      block: 1n + (BigInt(index) % head),
      log_index: index,
      shares,
      assets: shares,
    }));
  for (let from = 0; from < count; from += 100)
    await db
      .insertInto('share_movement')
      .values(wallets.slice(from, from + 100).flatMap(rows))
      .execute();
  // As if the vaults had been followed since the first block.
  await db.updateTable('followed_contract').set({ first_block: 0n }).execute();

  const before = proxies.count();
  const times = await pLimit(8).map(wallets, async (wallet, index) => {
    const start = performance.now();
    const url = `${replicas[index % replicas.length]}/v1/yield/status?userAddress=${wallet}`;
    const text = await (await fetch(url)).text();
    if (!text.includes('"costBasis":"exact"')) throw new Error(`A status is not exact: ${text}`);
    return performance.now() - start;
  });
  const calls = difference(proxies.count(), before);
  const { eth_getLogs: queries = 0 } = calls;
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    value: queries,
    what: list(mapValues(calls, (value) => value / count)),
    ...goal('0 eth_getLogs', queries === 0),
  };
}

/** Compare the requests of one process while some calls wait, and while many do. */
async function compareWaits(
  chains: readonly DevnetChain[],
  bundlers: readonly Bundler[],
  env: Readonly<Record<string, string>>,
  [few, many]: readonly [number, number],
  { latency, windowMs }: { readonly latency: number; readonly windowMs: number },
  defer: Defer,
) {
  for (const { hold } of bundlers) hold();
  const proxies = await startProxies(chains, latency, defer);
  const limits = { MAX_EXECUTES: '1000000', MAX_CONNECTIONS: '1000000', PREFLIGHT_MODE: 'off' };
  const url = await startService(proxies.chains, { ...env, ...limits }, defer);
  const received = () => bundlers.reduce((total, { seen }) => total + seen.size, 0);
  const offset = received();
  let sent = 0;
  const measure = async (count: number) => {
    for (; sent < count; sent++) {
      // Fresh wallets: without preflight nobody notices that they cannot pay.
      const signer = createSigner(chains[sent % 2]!, bundlers[sent % 2]!);
      void send(url, await signer.sign()).catch(() => undefined);
      while (sent - (received() - offset) >= 50) await pause(5);
    }
    while (received() - offset < count) await pause(5);
    await pause(1_000);
    return (await perSecond([proxies], windowMs))[0]!;
  };
  const [first, last] = [await measure(few), await measure(many)];
  return { first: sum(first), last: sum(last), what: list(last), ...atMost(flat * sum(first), sum(last)) };
}
