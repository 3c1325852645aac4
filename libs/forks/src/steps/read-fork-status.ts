import type { ForkStatusResponse, WireForkRecord } from '@yield-vault/protocol';
import type { EphemeralForks, ForkProvider } from '../ports.js';
import type { ForkChain, ForkHealth, ForkRecord } from '../types.js';
import { listKeptForks, pickActiveForks } from './list-forks.js';
import { patienceMs, settleWithin } from './settle-within.js';

const silence: ForkHealth = { status: 'unavailable', activeForks: 0, maxForks: null, version: '' };

/** What is known of all forks of a deployment. */
export type ForkOverview = Pick<ForkStatusResponse, 'health' | 'primaryForks' | 'activeForks'>;

/**
 * Describe the forks that there are. Creates none, and answers whatever is down.
 *
 * @param rpcUrlOf - the public RPC address of a chain's persistent fork; `undefined` where it is not to be shown
 */
export async function readForkStatus(
  provider: ForkProvider | undefined,
  ephemeral: EphemeralForks | undefined,
  chains: readonly ForkChain[],
  rpcUrlOf: (chain: string) => string | undefined,
): Promise<ForkOverview> {
  const [health, kept] = await Promise.all([readHealth(provider), listKeptForks(provider)]);
  const primary = kept.filter(({ kind }) => kind === 'persistent');
  const active = pickActiveForks(kept, ephemeral);
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
  return provider ? settleWithin(provider.health(), patienceMs, silence) : silence;
}

async function newestBlock(provider: ForkProvider | undefined, record: ForkRecord): Promise<number> {
  const ask = async () => {
    const fork = await provider?.find(record.id);
    return Number(await fork?.request('eth_blockNumber'));
  };
  const newest = await settleWithin(ask(), patienceMs, Number.NaN);
  return Number.isSafeInteger(newest) ? newest : Number(record.forkBlock);
}

function groupOf(chain: ForkChain, active: readonly ForkRecord[]) {
  const forks = active.filter((record) => record.chain === chain.key).map(toWire);
  return { chainId: chain.chainId, count: forks.length, forks };
}

function toWire({ id, status, kind, createdAt }: ForkRecord): WireForkRecord {
  return { id, status, kind, createdAt: new Date(createdAt).toISOString() };
}
