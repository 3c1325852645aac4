import type { ForkStatusResponse, WireForkRecord } from '@yield-vault/protocol';
import type { EphemeralForks, ForkProvider } from '../ports.js';
import type { ForkChain, ForkHealth, ForkRecord } from '../types.js';
import { settleWithin } from './settle-within.js';

// fork-status has to answer while the back end hangs.
const patienceMs = 2_000;
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
  const [health, kept] = await askProvider(provider);
  const primary = kept.filter(({ kind }) => kind === 'persistent');
  const active = distinct([...kept, ...(ephemeral?.list() ?? [])]).filter(isActive);
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

async function askProvider(
  provider: ForkProvider | undefined,
): Promise<readonly [ForkHealth, readonly ForkRecord[]]> {
  if (!provider) return [silence, []];
  const answers = Promise.all([provider.health(), provider.list()]);
  return settleWithin(answers, patienceMs, [silence, []]);
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

function isActive({ status }: ForkRecord): boolean {
  return status === 'starting' || status === 'running';
}

/** An ephemeral fork of a managed back end is listed by both. */
function distinct(records: readonly ForkRecord[]): readonly ForkRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
