import type { ActiveChain } from '@yield-vault/chains';
import { startJobs, type RunningJobs } from '@yield-vault/database';
import { type Address, numberToHex } from 'viem';
import { buildExit } from '../test/build-exit.js';
import { buildRegistryEntry } from '../test/build-registry-entry.js';
import { buildSnapshot } from '../test/build-snapshots.js';
import { buildCapability } from '../test/build-stored-report.js';
import { fixedPricer } from '../test/fixed-pricer.js';
import {
  createMemoryCapabilityStore,
  createMemoryExitStore,
  createMemoryContractFactsStore,
  createMemorySnapshotStore,
} from '../test/memory-stores.js';
import { type FakeChain, startFakeChain, useFakeChain } from '../test/start-fake-chain.js';
import { priceSources, type RejectedRecord, type ReportStore, type StoredReport } from './ports.js';
import type { SamplerOptions, VaultSamplerDeps } from './sampling/sampler-deps.js';
import { createSampler, type VaultSampler } from './vault-sampler.js';

const hours = 60;
const assets = 20_000_000_000n;
const otherAssets = 66_600_000_000n;
const addressOf = (index: number): Address => numberToHex(0x1000_0000 + index, { size: 20 });
const entries = [1, 2, 3].map((index) =>
  buildRegistryEntry({ address: addressOf(index), name: `Vault ${index}` }),
);
const options: SamplerOptions = {
  sampleIntervalSeconds: 0.05,
  backfillHours: 48,
  minTvlUsd: 0,
  probeIntervalSeconds: 600,
  maxProbeAgeSeconds: 3_600,
  hourlyRetentionDays: 400,
  onReplacedChain: 'discard',
};

/** A sampler whose jobs run in this process. */
interface Sampler extends VaultSampler {
  start(): void;
  stop(): Promise<void>;
  /** Runs that failed. */
  failures(): number;
}

/** Late in an hour, so that the half hour before is of the same one. */
const now = Date.parse('2026-11-20T12:58:30Z') / 1_000;

/** A block every half hour until now. */
const recentTimes = (): number[] =>
  Array.from({ length: 2 * hours }, (_, index) => now - 10 - (2 * hours - 1 - index) * 1_800);

/** Numbers as they were stored. */
interface Saved {
  readonly chainId: number;
  readonly newestSnapshot: number;
  readonly reports: readonly StoredReport[];
  readonly rejected: readonly RejectedRecord[];
}

function createStores() {
  const saved: Saved[] = [];
  return {
    saved,
    snapshots: createMemorySnapshotStore(),
    capabilities: createMemoryCapabilityStore(),
    exits: createMemoryExitStore(),
    contracts: createMemoryContractFactsStore(),
    reports: {
      save: (...[chainId, newestSnapshot, reports, rejected]: Parameters<ReportStore['save']>) => {
        saved.push({ chainId, newestSnapshot, reports, rejected });
        return Promise.resolve(1n);
      },
    } as Partial<ReportStore> as ReportStore,
  };
}

const chain = useFakeChain(recentTimes);
let stores: ReturnType<typeof createStores>;
let samplers: Sampler[];
let warnings: string[];
let alerts: string[];
beforeEach(() => {
  chain.respond = holding(assets);
  stores = createStores();
  [samplers, warnings, alerts] = [[], [], []];
});
afterEach(() => Promise.all(samplers.map((sampler) => sampler.stop())));

/** The first node serves the requests, as long as it responds. */
const chainOf = (...nodes: readonly FakeChain[]) =>
  ({
    key: 'base',
    chainId: 8453,
    rpc: nodes[0]!.rpc,
    nodes: nodes.map(({ rpc }) => rpc),
  }) as Partial<ActiveChain> as ActiveChain;

function create(overrides: Partial<VaultSamplerDeps> = {}): Sampler {
  const price = { usd: 1, source: priceSources.feed };
  const sampler = createSampler({
    chains: [chainOf(chain)],
    stores,
    options,
    now: () => now * 1_000,
    catalogue: { entries: () => Promise.resolve(entries) },
    pricerOf: (_, priced) =>
      fixedPricer(new Map(priced.map(({ address }) => [address.toLowerCase(), price]))),
    logger,
    ...overrides,
  });
  let jobs: RunningJobs | undefined;
  let failures = 0;
  const onRun = (_: string, outcome: string) => void (failures += outcome === 'failed' ? 1 : 0);
  const running: Sampler = {
    ...sampler,
    start: () => void (jobs = startJobs((signal) => sampler.begin(signal), { logger, onRun })),
    stop: async () => jobs?.stop(),
    failures: () => failures,
  };
  samplers.push(running);
  return running;
}
/** Start a sampler. Resolves when it has stored numbers for the first time. */
async function start(overrides: Partial<VaultSamplerDeps> = {}): Promise<Sampler> {
  const sampler = create(overrides);
  sampler.start();
  await refreshes(1);
  return sampler;
}

const logger = {
  info: () => undefined,
  warn: (fields: object, message: string) =>
    void warnings.push(`${message} ${String((fields as { err?: unknown }).err ?? '')}`),
  error: (_: object, message: string) => void alerts.push(message),
};

/** Every vault has these assets. */
function holding(totalAssets: bigint): FakeChain['respond'] {
  const { respond } = chain;
  return (target, functionName, block) =>
    functionName === 'totalAssets' ? totalAssets : respond(target, functionName, block);
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`It does not come to pass; warned of: ${warnings.join('; ')}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
const refreshes = async (count: number) => {
  const before = stores.saved.length;
  await until(() => stores.saved.length >= before + count);
};
const warned = (text: string) => until(() => warnings.some((message) => message.includes(text)));
const hoursOfVault = (vault: number) =>
  [...stores.snapshots.rows.values()].filter((row) => row.vault === vault).length;
const storedAssets = () => new Set([...stores.snapshots.rows.values()].map(({ totalAssets }) => totalAssets));
const newest = () => stores.saved.at(-1)!;
/** The vaults and hours that were written since. */
const writtenSince = (before: ReadonlyMap<string, number>) =>
  [...stores.snapshots.writes].filter(([key, count]) => before.get(key) !== count).map(([key]) => key);

describe('createSampler', () => {
  it('default: samples the past and the head, and stores the numbers', async () => {
    await start();
    const { reports, ...saved } = stores.saved[0]!;
    expect(saved).toEqual({ chainId: 8453, newestSnapshot: chain.times.at(-1), rejected: [] });
    expect(reports.map(({ summary }) => summary.name)).toEqual(['Vault 1', 'Vault 2', 'Vault 3']);
    for (const { vault, report } of reports) {
      // 48 hours that are over, and the one that runs.
      expect([hoursOfVault(vault), report.data.snapshots]).toEqual([49, 49]);
    }
    expect(warnings).toEqual([]);
    expect(stores.snapshots.compacted).toEqual([now - 400 * 86_400]);
  });

  it('behavior: the running hour is refreshed at each interval, and past hours are not', async () => {
    await start();
    await refreshes(1);
    const before = new Map(stores.snapshots.writes);
    const t = chain.times.at(-1)! + 1;
    chain.times = [...chain.times, t];
    await refreshes(2);
    expect(writtenSince(before)).toEqual([1, 2, 3].map((vault) => `${vault} ${t - (t % 3_600)}`));
    expect(newest().newestSnapshot).toBe(t);
  });

  it('behavior: vaults join and leave; an entry that the chain contradicts is rejected, and never sampled', async () => {
    const wrong = { ...entries[0]!, asset: { ...entries[0]!.asset, decimals: 18 } };
    let listed = [wrong, entries[1]!];
    await start({ catalogue: { entries: () => Promise.resolve(listed) } });
    const { reports, rejected } = stores.saved[0]!;
    const { vault, summary, assetPriceUsd } = reports.find(({ summary: { name } }) => name === 'Vault 1')!;
    expect(summary).toMatchObject({ listed: false, asset: entries[0]!.asset, tvlUsd: 0 });
    expect(summary.exclusions[0]).toBe('contradicted:asset-decimals');
    expect(assetPriceUsd).toBe(1);
    expect(hoursOfVault(vault)).toBe(0);
    expect(rejected).toEqual([
      { chainId: 8453, address: addressOf(1), name: 'Vault 1', reason: 'the asset has 6 decimals' },
    ]);
    listed = entries.slice(1);
    await refreshes(2);
    expect(newest().reports.map((report) => report.summary.name)).toEqual(['Vault 2', 'Vault 3']);
    expect(hoursOfVault(newest().reports[1]!.vault)).toBe(49);
  });

  it('behavior: a chain that began anew is read anew, at any time', async () => {
    chain.finalized = 2 * hours - 2;
    await start();
    chain.branch = 'second';
    chain.respond = holding(otherAssets);
    await warned('serves another chain than before');
    await refreshes(1);
    await until(() => hoursOfVault(1) === 49);
    expect(storedAssets()).toEqual(new Set([otherAssets]));
    expect(newest().reports[0]!.report.explanation.tvl.totalAssets).toBe(String(otherAssets));
  });

  describe('where a replaced chain stops sampling', () => {
    const stopping = { options: { ...options, onReplacedChain: 'stop' } } as const;
    const beginOtherBranch = (branched: FakeChain) => {
      branched.branch = 'second';
      branched.respond = holding(otherAssets);
    };
    beforeEach(() => {
      chain.finalized = 2 * hours - 2;
    });

    it('default: nothing is deleted or written, an alert is raised, and the first chain resumes it', async () => {
      const sampler = await start(stopping);
      const before = stores.snapshots.rows.size;
      beginOtherBranch(chain);
      await until(() => sampler.isStopped(8453));
      expect(alerts).toEqual([expect.stringContaining('discard-chain')]);
      const saved = stores.saved.length;
      const failures = sampler.failures();
      await until(() => sampler.failures() > failures + 2);
      expect([stores.saved.length, alerts.length]).toEqual([saved, 1]);
      expect([storedAssets(), stores.snapshots.rows.size]).toEqual([new Set([assets]), before]);

      chain.branch = 'first';
      await refreshes(1);
      expect(sampler.isStopped(8453)).toBe(false);
    });

    it('behavior: once an operator discarded the data, the chain is read anew', async () => {
      const sampler = await start(stopping);
      beginOtherBranch(chain);
      await until(() => sampler.isStopped(8453));
      await stores.snapshots.discardChain(8453);
      await until(() => hoursOfVault(1) === 49 && !sampler.isStopped(8453));
      expect(storedAssets()).toEqual(new Set([otherAssets]));
    });

    it.each(['another past', 'an old head', 'another chain id'])(
      'behavior: one node with %s does not stop it',
      async (fault) => {
        const wrong = await startFakeChain(recentTimes());
        wrong.finalized = chain.finalized;
        const sampler = await start({ ...stopping, chains: [chainOf(wrong, chain)] });
        if (fault === 'an old head') wrong.times = wrong.times.slice(0, hours);
        else beginOtherBranch(wrong);
        if (fault === 'another chain id') wrong.chainId = 1;
        await warned('through node 2 alone');
        await refreshes(2);
        expect([sampler.isStopped(8453), alerts]).toEqual([false, []]);
        expect(storedAssets().has(otherAssets)).toBe(false);

        // The other node fails, and the first one was corrected.
        wrong.branch = 'first';
        [wrong.times, wrong.chainId, wrong.respond] = [recentTimes(), 8453, chain.respond];
        chain.node.setFault('http-500');
        await refreshes(1);
        await sampler.stop();
        await wrong.stop();
      },
    );

    it('behavior: without a response of every node it is no replaced chain', async () => {
      const silent = await startFakeChain(recentTimes());
      const sampler = await start({ ...stopping, chains: [chainOf(chain, silent)] });
      beginOtherBranch(chain);
      silent.node.setFault('http-500');
      await until(() => sampler.failures() > 5);
      expect([sampler.isStopped(8453), alerts]).toEqual([false, []]);
      silent.node.setFault(undefined);
      beginOtherBranch(silent);
      await until(() => sampler.isStopped(8453));
      await sampler.stop();
      await silent.stop();
    });
  });

  it('behavior: a process that lost the election discards nothing', async () => {
    const lost = new AbortController();
    let discards = 0;
    stores.snapshots.discardChain = () => Promise.resolve(void (discards += 1));
    stores.snapshots.anchor = () => {
      lost.abort();
      return Promise.resolve({ block: 1n, hash: numberToHex(1, { size: 32 }) });
    };
    const [sampling] = create().begin(lost.signal);
    await sampling!.run(lost.signal).catch(() => undefined);
    expect(discards).toBe(0);
  });

  it('behavior: an orphaned head does not stand for its hour once that is final', async () => {
    const orphan = 2 * hours - 1;
    const t = chain.times.at(-1)!;
    const hour = t - (t % 3_600);
    chain.finalized = orphan - 2;
    await start();
    const standing = (vault: number) => stores.snapshots.rows.get(`${vault} ${hour}`);
    expect(standing(1)).toMatchObject({ t, block: BigInt(orphan) });

    // The last block of the hour is an earlier one now.
    [chain.branch, chain.branchedAt] = ['second', orphan];
    chain.times = [...chain.times.slice(0, orphan), t + 1_800, t + 3_600];
    chain.finalized = orphan;
    await until(() => (stores.snapshots.covered.get(1)?.until ?? 0) > hour);
    for (const vault of [1, 2]) {
      expect(standing(vault)).toMatchObject({ t: t - 1_800, block: BigInt(orphan - 1) });
    }
  });

  it('behavior: a node that is behind, of another chain, or down discards nothing, and sampling continues', async () => {
    chain.finalized = 2 * hours - 2;
    const sampler = await start();
    const rows = stores.snapshots.rows.size;
    const failsOnce = async () => {
      const before = sampler.failures();
      await until(() => sampler.failures() > before + 1);
    };
    const { times } = chain;
    [chain.times, chain.finalized] = [times.slice(0, 20), 18];
    await failsOnce();
    chain.times = times;
    [chain.branch, chain.chainId] = ['second', 1];
    await failsOnce();
    [chain.branch, chain.chainId, chain.finalized] = ['first', 8453, 2 * hours - 2];
    chain.node.setFault('cut');
    await failsOnce();
    expect(stores.snapshots.rows.size).toBe(rows);
    chain.node.setFault(undefined);
    await refreshes(1);
  });

  it('behavior: prices, simulations and a catalogue that fail do not keep the chain from being sampled', async () => {
    let looks = 0;
    await start({
      pricerOf: () => fixedPricer(),
      proberOf: () => ({
        probe: () => Promise.reject(new Error('no simulation')),
        exits: () => Promise.resolve([]),
      }),
      catalogue: {
        entries: () => (looks++ === 0 ? Promise.resolve(entries) : Promise.reject(new Error('no catalogue'))),
      },
    });
    await refreshes(2);
    expect(newest().reports).toHaveLength(3);
    expect(newest().reports[0]!.assetPriceUsd).toBe(0);
    expect(hoursOfVault(1)).toBe(49);
  });

  it('behavior: simulations reach the numbers, and are stored', async () => {
    const probed: number[][] = [];
    await start({
      proberOf: () => ({
        probe: (vaults) => {
          probed.push(vaults.map(({ id }) => id));
          const results = vaults.map(({ id }) =>
            buildCapability({ vault: id, result: 'paused', checkedAt: now }),
          );
          return Promise.resolve(results);
        },
        exits: (vaults) => Promise.resolve(vaults.map(({ id }) => buildExit({ vault: id, checkedAt: now }))),
      }),
    });
    await refreshes(1);
    const { report, gas } = newest().reports[0]!;
    expect(report.capability?.verdict).toBe('paused');
    expect(report.exit).toMatchObject({ method: 'simulated', instantUsd: 25_000_000 });
    expect(gas).toEqual({ deposit: 120_000, redeem: 90_000 });
    expect(stores.capabilities.rows.size).toBe(3);
    // Once within the interval.
    expect(probed).toEqual([[1, 2, 3]]);
  });

  it('behavior: a retention that fails counts as failed, and is repeated after a while', async () => {
    let attempts = 0;
    stores.snapshots.compact = () => Promise.reject(new Error(`attempt ${(attempts += 1)}`));
    const sampler = create();
    sampler.start();
    // Longer than the pause after other failures.
    await refreshes(15);
    expect(attempts).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('attempt 1')]);
    expect(sampler.failures()).toBe(1);
  });

  it('behavior: an elected process reads the store, again after a failure, and not the past of the chain', async () => {
    const t = chain.times[0]! - 20 * 86_400;
    await stores.snapshots.save([buildSnapshot({ vault: 1, t })], []);
    const sampler = await start();
    await sampler.stop();
    const { coverage } = stores.snapshots;
    let isDown = true;
    stores.snapshots.coverage = (vaults) => (isDown ? Promise.reject(new Error('down')) : coverage(vaults));
    const written = new Map(stores.snapshots.writes);
    const elected = create();
    elected.start();
    await until(() => elected.failures() > 1);
    isDown = false;
    await refreshes(1);
    // The running hours alone.
    expect(writtenSince(written)).toHaveLength(3);
    const { snapshots, firstSnapshotAt } = newest().reports[0]!.report.data;
    expect([snapshots, firstSnapshotAt]).toEqual([50, new Date(t * 1_000).toISOString()]);
  });

  it('behavior: stop ends a long backfill within an hour of it, and nothing is written after', async () => {
    const sampler = create({ options: { ...options, hoursPerSave: 1 } });
    sampler.start();
    await until(() => stores.snapshots.rows.size > 10);
    await sampler.stop();
    expect(stores.snapshots.rows.size).toBeLessThan(3 * 49);
    // Every hour that counts as read is there.
    for (const { vault, from, until } of stores.snapshots.covered.values())
      for (let hour = from; hour < until; hour += 3_600)
        expect(stores.snapshots.rows.has(`${vault} ${hour}`)).toBe(true);
  });
});
