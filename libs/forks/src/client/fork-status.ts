import type { ForkStatusResponse } from '@yield-vault/protocol';
import { createDeadline } from '../create-deadline.js';
import type { ActiveFork, ForkChain, ForkProvider, ForkRecord } from '../types.js';
import { unavailable } from './create-fork-client.js';

/** Lists the simulations that run now. Every `Simulator` is one. */
export interface RunningSimulations {
  list(): readonly ActiveFork[];
}

/**
 * Describe all forks. Creates none, and responds also while the fork service is down.
 *
 * @param rpcUrlOf Returns the public RPC address of a chain's persistent fork; `undefined` where it is private.
 */
export async function readForkStatus(
  provider: ForkProvider,
  simulator: RunningSimulations | undefined,
  chains: readonly ForkChain[],
  rpcUrlOf: (chain: string) => string | undefined,
): Promise<Pick<ForkStatusResponse, 'health' | 'primaryForks' | 'activeForks'>> {
  const [health, kept] = await Promise.all([
    withFallback(provider.health(), unavailable),
    withFallback(provider.list(), []),
  ]);
  const active = pickActiveForks(kept, simulator);
  const forksOf = ({ key, chainId }: ForkChain) => {
    const forks = active
      .filter(({ chain }) => chain === key)
      .map(({ id, status, kind, backend, createdAt }) => ({
        id,
        status,
        kind,
        backend,
        createdAt: new Date(createdAt).toISOString(),
      }));
    return { chainId, count: forks.length, forks };
  };
  return {
    health: { ...health, activeForks: active.length },
    primaryForks: await Promise.all(
      kept
        .filter(({ kind }) => kind === 'persistent')
        .map(async (record) => ({
          chain: record.chain,
          chainId: record.chainId,
          id: record.id,
          status: record.status,
          rpcUrl: rpcUrlOf(record.chain) ?? null,
          blockNumber: await newestBlock(provider, record),
          createdAt: new Date(record.createdAt).toISOString(),
        })),
    ),
    activeForks: Object.fromEntries(chains.map((chain) => [chain.key, forksOf(chain)])),
  };
}

function pickActiveForks(
  kept: readonly ForkRecord[],
  simulator: RunningSimulations | undefined,
): readonly ActiveFork[] {
  const forks = kept.map((record): ActiveFork => ({ ...record, backend: 'anvil' }));
  // The provider and the simulator both list an ephemeral Anvil fork.
  const records = new Map([...forks, ...(simulator?.list() ?? [])].map((record) => [record.id, record]));
  return [...records.values()].filter(({ status }) => status === 'starting' || status === 'running');
}

async function newestBlock(provider: ForkProvider, { id, forkBlock }: ForkRecord): Promise<number> {
  const read = async () => Number(await (await provider.find(id))?.request('eth_blockNumber'));
  const newest = await withFallback(read(), Number.NaN);
  return Number.isSafeInteger(newest) ? newest : Number(forkBlock);
}

// Status and metrics must respond while the fork service hangs.
const timeoutMs = 2_000;

/** Wait for a result; a failure or a timeout gives the fallback. */
async function withFallback<T>(result: Promise<T>, fallback: T): Promise<T> {
  const deadline = createDeadline(timeoutMs);
  try {
    return await deadline.race(result);
  } catch {
    return fallback;
  } finally {
    deadline.clear();
  }
}
