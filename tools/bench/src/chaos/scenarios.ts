import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { countLeft, forkProcesses, lookFor } from '../fork-processes.js';
import { openForks, simulateAddition, type ChaosChain } from './chain.js';
import { startFaultyProxy, type UpstreamFault } from './start-faulty-proxy.js';
import { startTally, type Tally } from './tally.js';

/** A way to hurt simulations, again and again. */
export type Scenario = (chain: ChaosChain, rounds: number) => Promise<Tally>;

const simulationsAtOnce = 4;
const busyTicks = 3;
const victim = fileURLToPath(new URL('../../dist/chaos/victim.js', import.meta.url));
const faults: readonly UpstreamFault[] = ['times out', 'answers 429', 'answers garbage', 'stalls'];

/** Every scenario, in the order in which they are reported. */
export const scenarios: readonly Scenario[] = [
  killHosts,
  ...faults.map(
    (fault): Scenario =>
      (chain, rounds) =>
        failUpstream(fault, chain, rounds),
  ),
  killParents,
  fillQueue,
];

async function killHosts(chain: ChaosChain, rounds: number): Promise<Tally> {
  const tally = startTally('SIGKILL of Anvil mid-simulation', rounds);
  const forks = openForks(chain.rpcUrl);
  try {
    await simulateAddition(forks, 0n, { work: 1 }); // From now on the template is known.
    for (let round = 1; round <= rounds; round++) {
      await chain.mine();
      const running = addMany(round, (addend) => simulateAddition(forks, addend, { work: 3 })).map(
        tally.count,
      );
      const host = await lookFor(() => forkProcesses().find(({ ticks }) => ticks >= busyTicks));
      if (host) process.kill(host.pid, 'SIGKILL');
      await Promise.all(running);
    }
  } finally {
    await forks.close();
  }
  tally.leak(await leftovers());
  return tally.result();
}

async function failUpstream(fault: UpstreamFault, chain: ChaosChain, rounds: number): Promise<Tally> {
  const tally = startTally(`upstream ${fault}`, rounds);
  const proxy = await startFaultyProxy(chain.rpcUrl);
  const forks = openForks(proxy.url, { deadlineMs: 2_000 });
  try {
    for (let round = 1; round <= rounds; round++) {
      await chain.mine();
      proxy.fail(fault);
      await Promise.all(addMany(round, (addend) => simulateAddition(forks, addend)).map(tally.count));
      proxy.fail(undefined);
      await tally.count(simulateAddition(forks, BigInt(round)));
    }
  } finally {
    await forks.close();
    await proxy.stop();
  }
  tally.leak(await leftovers());
  return tally.result();
}

async function killParents(chain: ChaosChain, rounds: number): Promise<Tally> {
  const tally = startTally('SIGKILL of the parent', rounds);
  for (let round = 1; round <= rounds; round++) {
    const parent = spawn(process.execPath, [victim, chain.rpcUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => parent.once('exit', resolve));
    await tally.count(
      new Promise<boolean>((resolve) => {
        parent.stdout.once('data', () => resolve(true));
        void ended.then(() => resolve(false));
      }),
    );
    const pids = forkProcesses(parent.pid).map(({ pid }) => pid);
    parent.kill('SIGKILL');
    await ended;
    tally.leak(await countLeft(pids));
  }
  return tally.result();
}

async function fillQueue(chain: ChaosChain, rounds: number): Promise<Tally> {
  const tally = startTally('queue full', rounds);
  const forks = openForks(chain.rpcUrl, { concurrency: 1, queueLimit: 1, maxForks: 1 });
  try {
    for (let round = 1; round <= rounds; round++) {
      await Promise.all(addMany(round, (addend) => simulateAddition(forks, addend)).map(tally.count));
    }
  } finally {
    await forks.close();
  }
  tally.leak(await leftovers());
  return tally.result();
}

function addMany(round: number, simulate: (addend: bigint) => Promise<boolean>): Promise<boolean>[] {
  return Array.from({ length: simulationsAtOnce }, (_, index) => simulate(BigInt(100 * round + index)));
}

function leftovers(): Promise<number> {
  return countLeft(forkProcesses().map(({ pid }) => pid));
}
