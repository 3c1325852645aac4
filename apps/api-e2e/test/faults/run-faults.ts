import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseHandle } from '@yield-vault/database';
import { usdcVault } from '../support/funded-agent.js';
import { executeOnce, prepareAttempt, pursue, type CreateDepositor, type Deposit } from './deposit.js';
import { killGroups, type KillGroup } from './kill-points.js';
import { loseLogs } from './lose-logs.js';
import { faultySends, sendFaults } from './send-faults.js';
import type { ProxiedServer } from './server-pair.js';

// A held send ends by its deadline, and its intent goes on.
const reachDeadlineMs = 9_000;
// On a busy machine an intent may be too slow for that.
const killTries = 5;

/** Everything that was tried. */
export interface FaultRun {
  readonly deposits: readonly Deposit[];
  /** Points that no server reached. */
  readonly unreached: readonly string[];
}

/** What a run does. */
export interface FaultOptions {
  /** How often each fault and each point is met. */
  readonly rounds: number;
  readonly createDepositor: CreateDepositor;
  /** Spoil sends, too, as sendFaults does, and lose every other log query. */
  readonly spoilsUpstreams: boolean;
  /** Where leases of killed servers lapse at once, instead of after 20 seconds. */
  readonly database?: DatabaseHandle;
}

/** Let deposits meet every fault and every kill point, and follow each one until it is decided. */
export async function runFaults(
  servers: readonly [ProxiedServer, ProxiedServer],
  { rounds, createDepositor, spoilsUpstreams, database }: FaultOptions,
): Promise<FaultRun> {
  const { vaultId } = await usdcVault(servers[0].api);
  const deposits: Deposit[] = [];
  const unreached: string[] = [];
  const pursuits: Promise<void>[] = [];
  // One mint at a time: all come from one account.
  let funding: Promise<unknown> = Promise.resolve();
  const planned: Parameters<typeof faultySends>[0] = new Map();
  const sendHook = faultySends(planned);
  for (const { proxies } of servers) {
    proxies.bundler.addHook(sendHook);
    if (spoilsUpstreams) proxies.rpc.addHook(loseLogs());
  }
  const apis = () => servers.filter((server) => server.isUp()).map(({ api }) => api);

  /** Every other caller goes away after its first response. */
  const addDeposit = async (name: string, index: number): Promise<Deposit> => {
    const funded = funding.then(() => createDepositor(vaultId));
    funding = funded;
    const depositor = await funded;
    const deposit = { name, depositor, isAbandoned: index % 2 === 1, attempts: [] };
    deposits.push(deposit);
    return deposit;
  };

  const meetFault = async (name: string, fault: Parameters<typeof planned.set>[1], index: number) => {
    const deposit = await addDeposit(name, index);
    const attempt = await prepareAttempt(deposit, apis);
    planned.set(attempt.wallet, fault);
    await Promise.all(servers.map(({ api }) => executeOnce(attempt, api)));
    pursuits.push(pursue(deposit, apis));
  };

  const lapseLeases = async (intentIds: readonly string[]) => {
    await database?.db
      .updateTable('intent')
      .set({ lease_until: new Date(0) })
      .where('intent_id', 'in', intentIds)
      .execute();
  };

  /**
   * Bring an intent of its own to each point, then kill the server that works on them.
   *
   * @returns the points that were not reached in time
   */
  const meetKill = async (group: KillGroup, victim: ProxiedServer, index: number): Promise<KillGroup> => {
    const killed = new AbortController();
    await victim.ready();
    const prepared = await Promise.all(
      group.map(async ([name, point], place) => {
        const deposit = await addDeposit(name, index + place);
        const attempt = await prepareAttempt(deposit, () => [victim.api]);
        return { name, deposit, attempt, reached: point(victim.proxies, attempt, killed.signal) };
      }),
    );
    const missing = new Set(group.map(([name]) => name));
    const reached = prepared.map(({ name, reached: each }) => each.then(() => missing.delete(name)));
    // A result is confirmed by a later call.
    const executing = prepared.map(async ({ attempt }) => {
      while (!killed.signal.aborted && (await executeOnce(attempt, victim.api)) !== 'prepare again')
        await sleep(200);
    });
    await Promise.race([Promise.all(reached), sleep(reachDeadlineMs)]);
    await victim.kill();
    killed.abort();
    await Promise.all(executing);
    await lapseLeases(prepared.map(({ attempt }) => attempt.intentId));
    pursuits.push(...prepared.map(({ deposit }) => pursue(deposit, apis)));
    return group.filter(([name]) => missing.has(name));
  };

  for (let round = 0; round < rounds; round++) {
    await Promise.all(servers.map((server) => server.ready()));
    const faults = [...(spoilsUpstreams ? sendFaults : [])].map(
      ([name, fault], index) =>
        () =>
          meetFault(name, fault, round + index),
    );
    await inLanes(faults, 20);
    for (const pair of killGroups) {
      const kills = pair.map(async (group, place) => {
        let missing = group;
        for (let tries = 0; missing.length > 0 && tries < killTries; tries++) {
          const victim = servers[(round + place + tries) % 2]!;
          missing = await meetKill(missing, victim, round + place + tries);
        }
        return missing;
      });
      unreached.push(...(await Promise.all(kills)).flat().map(([name]) => name));
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  await Promise.all(pursuits);
  return { deposits, unreached };
}

/** Run tasks, so many at a time. */
async function inLanes(tasks: (() => Promise<void>)[], lanes: number): Promise<void> {
  const lane = async () => {
    for (let task = tasks.shift(); task; task = tasks.shift()) await task();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
