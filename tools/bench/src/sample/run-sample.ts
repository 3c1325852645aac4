import { activeBase, startDevnet } from '@yield-vault/devnet';
import {
  createPricer,
  planSample,
  sampleBlock,
  toPricedAssets,
  type Sample,
  type SamplePlan,
  type TrackedVault,
} from '@yield-vault/vault-discovery';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import pLimit from 'p-limit';
import { createPublicClient, http, type PublicClient } from 'viem';
import { cloneVaults } from './clone-vaults.js';

/** As in the sampler. */
const callsAtOnce = 12;

export interface SampleRun {
  readonly vaults: number;
  /** Vaults that gave a snapshot. */
  readonly snapshots: number;
  readonly ethCalls: number;
  /** Milliseconds of the whole sample, round by round. */
  readonly sampleMs: readonly number[];
  /** Milliseconds of the very same eth_calls with nothing around them, round by round. */
  readonly rpcMs: readonly number[];
  /** Longest delay of the event loop during a sample, in milliseconds, round by round. */
  readonly stallMs: readonly number[];
}

/** Take one snapshot of many vaults on a local chain, again and again, beside the bare calls. */
export async function runSample(vaultCount: number, rounds: number): Promise<SampleRun> {
  const devnet = await startDevnet({ chains: ['base'], historyDays: 1, bundlers: false });
  try {
    const { rpcUrl } = devnet.chains[0]!;
    // The client that the service uses, with its deadlines and failover.
    const { rpc } = activeBase({ rpcUrl });
    const plan = planFor(await cloneVaults(rpcUrl, vaultCount));
    const { calls, snapshots } = await record(rpcUrl, plan);
    const [sampleMs, rpcMs, stallMs]: [number[], number[], number[]] = [[], [], []];
    const delays = monitorEventLoopDelay({ resolution: 1 });
    // The first round is for the compilers.
    for (let round = 0; round <= rounds; round++) {
      delays.reset();
      delays.enable();
      const sampled = await timeOf(() => sampleHead(rpc, plan));
      delays.disable();
      const called = await timeOf(() => replay(rpcUrl, calls));
      if (round > 0) {
        sampleMs.push(sampled);
        rpcMs.push(called);
        stallMs.push(delays.max / 1e6);
      }
    }
    return { vaults: vaultCount, snapshots, ethCalls: calls.length, sampleMs, rpcMs, stallMs };
  } finally {
    await devnet.stop();
  }
}

/** As the sampler does with the settings that a deployment has by default. */
function planFor(vaults: readonly TrackedVault[]): SamplePlan {
  const ignore = () => undefined;
  const logger = { info: ignore, warn: ignore, error: ignore };
  const assets = toPricedAssets(vaults.map(({ entry }) => entry));
  const pricer = createPricer({
    chain: { key: 'base', chainId: 8453 },
    ...{ assets, logger, now: Date.now },
  });
  return planSample(vaults, pricer, { batchSize: 200, readGasLimit: 10_000_000 });
}

async function sampleHead(rpc: PublicClient, plan: SamplePlan): Promise<Sample> {
  const { number, hash, timestamp } = await rpc.getBlock();
  return sampleBlock(rpc, plan, { number: Number(number), hash, t: Number(timestamp) });
}

/** Record the requests of one sample. */
async function record(
  rpcUrl: string,
  plan: SamplePlan,
): Promise<{ readonly calls: readonly string[]; readonly snapshots: number }> {
  const sent: string[] = [];
  const onFetchRequest = async (request: Request) => void sent.push(await request.clone().text());
  const client = createPublicClient({ transport: http(rpcUrl, { onFetchRequest }) });
  const { snapshots } = await sampleHead(client, plan);
  return { calls: sent.filter((body) => body.includes('"eth_call"')), snapshots: snapshots.length };
}

async function replay(rpcUrl: string, calls: readonly string[]): Promise<void> {
  const limit = pLimit(callsAtOnce);
  const headers = { 'content-type': 'application/json' };
  const responses = calls.map((body) =>
    limit(async () => (await fetch(rpcUrl, { method: 'POST', headers, body })).text()),
  );
  await Promise.all(responses);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
