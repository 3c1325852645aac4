import { setTimeout as sleep } from 'node:timers/promises';
import { setUpWallet } from '@yield-vault/devnet';
import { privateKeyToAccount } from 'viem/accounts';
import { devnetChains } from '../support/devnet.js';
import { fundedAgent, usdcVault, type FundedAgent } from '../support/funded-agent.js';
import { executeOnce, prepareAttempt, pursue, type Deposit } from './deposit.js';
import { killGroups } from './kill-points.js';
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

/**
 * Let deposits meet every fault and every kill point, and follow each one until it is decided.
 *
 * @param rounds - how often each fault and point is met
 */
export async function runFaults(
  servers: readonly [ProxiedServer, ProxiedServer],
  { rounds, onProgress }: { readonly rounds: number; readonly onProgress: (text: string) => void },
): Promise<FaultRun> {
  const { vaultId } = await usdcVault(servers[0].api);
  const deposits: Deposit[] = [];
  const unreached: string[] = [];
  const pursuits: Promise<void>[] = [];
  // One mint at a time: all come from one account.
  let funding: Promise<unknown> = Promise.resolve();
  const planned: Parameters<typeof faultySends>[0] = new Map();
  const sendHook = faultySends(planned);
  for (const { proxies } of servers) proxies.bundler.addHook(sendHook);
  const apis = () => servers.filter((server) => server.isUp()).map(({ api }) => api);

  /** Every other caller goes away after its first response. */
  const addDeposit = async (name: string, index: number): Promise<Deposit> => {
    const funded = funding.then(createWallet);
    funding = funded;
    const agent = await funded;
    const deposit = { name, agent, vaultId, isAbandoned: index % 2 === 1, attempts: [] };
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

  /**
   * Bring an intent of its own to each point, then kill the server that works on them.
   *
   * @returns the points that were not reached in time
   */
  const meetKill = async (group: (typeof killGroups)[number], index: number) => {
    const victim = servers[index % 2 === 0 ? 0 : 1];
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
    pursuits.push(...prepared.map(({ deposit }) => pursue(deposit, apis)));
    return group.filter(([name]) => missing.has(name));
  };

  for (let round = 0; round < rounds; round++) {
    await Promise.all(servers.map((server) => server.ready()));
    const faults = [...sendFaults].map(
      ([name, fault], index) =>
        () =>
          meetFault(name, fault, round + index),
    );
    await inLanes(faults, 20);
    for (const [index, group] of killGroups.entries()) {
      let missing = group;
      for (let tries = 0; missing.length > 0 && tries < killTries; tries++)
        missing = await meetKill(missing, round + index + tries);
      unreached.push(...missing.map(([name]) => name));
    }
    onProgress(`round ${round + 1} of ${rounds}`);
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

async function createWallet(): Promise<FundedAgent> {
  const agent = await fundedAgent();
  await setUpWallet(devnetChains().base, privateKeyToAccount(agent.privateKey));
  return agent;
}
