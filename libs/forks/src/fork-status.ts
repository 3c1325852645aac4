import type { ForkStatusResponse, WireForkRecord } from '@yield-vault/protocol';
import { timeout, TimeoutStrategy } from 'cockatiel';
import type { ForkProvider } from './ports.js';
import type { Simulator } from './simulation/create-simulator.js';
import type { ActiveFork, ForkChain, ForkHealth, ForkRecord } from './types.js';

const silence: ForkHealth = { status: 'unavailable', activeForks: 0, maxForks: null, version: '' };

/** The part of fork-status about forks. */
export type ForkOverview = Pick<ForkStatusResponse, 'health' | 'primaryForks' | 'activeForks'>;

/**
 * Describe all forks. Creates none, and responds also while the fork service is down.
 *
 * @param rpcUrlOf Returns the public RPC address of a chain's persistent fork; `undefined` where it is private.
 */
export async function readForkStatus(
  provider: ForkProvider | undefined,
  simulator: Pick<Simulator, 'list'> | undefined,
  chains: readonly ForkChain[],
  rpcUrlOf: (chain: string) => string | undefined,
): Promise<ForkOverview> {
  const [health, kept] = await Promise.all([readHealth(provider), listKeptForks(provider)]);
  const primary = kept.filter(({ kind }) => kind === 'persistent');
  const active = pickActiveForks(kept, simulator);
  return {
    health: { ...health, activeForks: active.length },
    primaryForks: await Promise.all(
      primary.map(async (record) => ({
        chain: record.chain,
        chainId: record.chainId,
        id: record.id,
        status: record.status,
        rpcUrl: rpcUrlOf(record.chain) ?? null,
        blockNumber: await newestBlock(provider, record),
        createdAt: new Date(record.createdAt).toISOString(),
      })),
    ),
    activeForks: Object.fromEntries(chains.map((chain) => [chain.key, groupOf(chain, active)])),
  };
}

async function readHealth(provider: ForkProvider | undefined): Promise<ForkHealth> {
  return provider ? withFallback(provider.health(), timeoutMs, silence) : silence;
}

async function newestBlock(provider: ForkProvider | undefined, record: ForkRecord): Promise<number> {
  const read = async () => {
    const fork = await provider?.find(record.id);
    return Number(await fork?.request('eth_blockNumber'));
  };
  const newest = await withFallback(read(), timeoutMs, Number.NaN);
  return Number.isSafeInteger(newest) ? newest : Number(record.forkBlock);
}

function groupOf(chain: ForkChain, active: readonly ActiveFork[]) {
  const forks = active.filter((record) => record.chain === chain.key).map(toWire);
  return { chainId: chain.chainId, count: forks.length, forks };
}

function toWire({ id, status, kind, backend, createdAt }: ActiveFork): WireForkRecord {
  return { id, status, kind, backend, createdAt: new Date(createdAt).toISOString() };
}

/** List the forks that the provider keeps, failed ones included; none while it does not respond. */
export async function listKeptForks(provider: ForkProvider | undefined): Promise<readonly ForkRecord[]> {
  return provider ? withFallback(provider.list(), timeoutMs, []) : [];
}

/** Pick the forks and simulations that run or start. */
export function pickActiveForks(
  kept: readonly ForkRecord[],
  simulator: Pick<Simulator, 'list'> | undefined,
): readonly ActiveFork[] {
  const forks = kept.map((record): ActiveFork => ({ ...record, backend: 'anvil' }));
  // The provider and the simulator both list an ephemeral Anvil fork.
  const records = new Map([...forks, ...(simulator?.list() ?? [])].map((record) => [record.id, record]));
  return [...records.values()].filter(({ status }) => status === 'starting' || status === 'running');
}

// Status and metrics must respond while the fork service hangs.
const timeoutMs = 2_000;

/** Wait for a result; a failure or a timeout gives the fallback. */
async function withFallback<T>(result: Promise<T>, milliseconds: number, fallback: T): Promise<T> {
  try {
    return await timeout(milliseconds, TimeoutStrategy.Aggressive).execute(() => result);
  } catch {
    return fallback;
  }
}
