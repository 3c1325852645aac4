import {
  measureLatencies,
  measureMemory,
  measureRecovery,
  measureThroughput,
  type HostMemory,
  type Latencies,
  type Throughput,
} from './measure-preflight.js';
import { startUpstream } from './start-upstream.js';

export interface PreflightOptions {
  /** Delay of every answer of the upstream, in milliseconds. */
  readonly latency: number;
  /** Simulations of ours for each row. */
  readonly simulations: number;
  /** Naive simulations; each takes seconds. */
  readonly naive: number;
  /** Simulations on one host while its memory is watched. */
  readonly soak: number;
}

/** Everything that was measured, in one run on one chain. */
export interface PreflightRun {
  readonly latency: number;
  readonly delayed: Latencies;
  readonly loopback: Latencies;
  readonly throughput: Throughput;
  readonly memory: HostMemory;
  readonly recoveryMs: readonly number[];
}

const secondsPerConcurrency = 3;

/** Measure the simulation of user operations, beside a fork for each simulation. */
export async function runPreflight(options: PreflightOptions): Promise<PreflightRun> {
  const { latency, simulations, naive, soak } = options;
  const upstream = await startUpstream(simulations + 1);
  try {
    return {
      latency,
      delayed: await measureLatencies(upstream, latency, { naive, ours: simulations }),
      loopback: await measureLatencies(upstream, 0, { naive, ours: simulations }),
      throughput: await measureThroughput(upstream, secondsPerConcurrency),
      memory: await measureMemory(upstream, soak),
      recoveryMs: await measureRecovery(upstream, simulations),
    };
  } finally {
    await upstream.stop();
  }
}
