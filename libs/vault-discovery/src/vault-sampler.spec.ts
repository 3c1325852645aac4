import type { ActiveChain } from '@yield-vault/chains';
import { type Address, numberToHex } from 'viem';
import { buildRegistryEntry } from '../test/build-registry-entry.js';
import { buildSnapshot } from '../test/build-snapshots.js';
import { createMemoryReportStore } from '../test/memory-report-store.js';
import { createMemoryCapabilityStore, createMemorySnapshotStore } from '../test/memory-stores.js';
import { type FakeChain, startFakeChain } from '../test/start-fake-chain.js';
import { priceSources, type RejectedRecord, type ReportStore, type StoredReport } from './ports.js';
import type { SamplerOptions, VaultSamplerDeps } from './sampling/sampler-deps.js';
import { createVaultSampler, type VaultSampler } from './vault-sampler.js';

const hours = 60;
const addressOf = (index: number): Address => numberToHex(0x1000_0000 + index, { size: 20 });
const entries = [1, 2, 3].map((index) =>
  buildRegistryEntry({ address: addressOf(index), name: `Vault ${index}` }),
);
const options: SamplerOptions = {
  ...{ sampleIntervalSeconds: 0.05, backfillHours: 48, minTvlUsd: 0, multicallBatchSize: 200 },
  ...{
    readGasLimit: 10_000_000,
    probeIntervalSeconds: 600,
    maxProbeAgeSeconds: 3_600,
    hourlyRetentionDays: 400,
    onReplacedChain: 'discard',
  },
};

let chain: FakeChain;
let stores: ReturnType<typeof createStores>;
let samplers: VaultSampler[];
let warnings: string[];
let alerts: string[];

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
  const reports = createMemoryReportStore();
  return {
    saved,
    snapshots: createMemorySnapshotStore(),
    capabilities: createMemoryCapabilityStore(),
    reports: {
      ...reports,
      save: (...[chainId, newestSnapshot, stored, rejected]: Parameters<ReportStore['save']>) => {
        saved.push({ chainId, newestSnapshot, reports: stored, rejected });
        return reports.save(chainId, newestSnapshot, stored, rejected);
      },
    },
  };
}

beforeEach(async () => {
  chain = await startFakeChain(recentTimes());
  chain.respond = withResponse((_, functionName) =>
    functionName === 'totalAssets' ? 20_000_000_000n : undefined,
  );
  stores = createStores();
  [samplers, warnings, alerts] = [[], [], []];
});
afterEach(async () => {
  await Promise.all(samplers.map((sampler) => sampler.stop()));
  await chain.stop();
});

/** The first node serves the requests, as long as it responds. */
const chainOf = (...nodes: readonly FakeChain[]) =>
  ({
    key: 'base',
    chainId: 8453,
    rpc: nodes[0]!.rpc,
    nodes: nodes.map(({ rpc }) => rpc),
  }) as Partial<ActiveChain> as ActiveChain;

function create(overrides: Partial<VaultSamplerDeps> = {}): VaultSampler {
  const price = { usd: 1, source: priceSources.feed };
  const sampler = createVaultSampler({
    ...{ chains: [chainOf(chain)], stores, options, now: () => now * 1_000 },
    catalogue: { entries: () => Promise.resolve(entries) },
    pricerOf: (_, assets) => ({
      reads: () => [],
      prices: () => Promise.resolve(new Map(assets.map(({ address }) => [address.toLowerCase(), price]))),
    }),
    logger: {
      info: () => undefined,
      warn: (fields, message) =>
        void warnings.push(`${message} ${String((fields as { err?: unknown }).err ?? '')}`),
      error: (_, message) => void alerts.push(message),
    },
    ...overrides,
  });
  samplers.push(sampler);
  return sampler;
}

/** Answers of its own before those of the chain. */
function withResponse(own: FakeChain['respond']): FakeChain['respond'] {
  const { respond } = chain;
  return (target, functionName, block) =>
    own(target, functionName, block) ?? respond(target, functionName, block);
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
const hoursOfVault = (vault: number) =>
  [...stores.snapshots.rows.values()].filter((row) => row.vault === vault).length;

describe('createVaultSampler', () => {
  it('default: samples the past and the head, and stores the numbers', async () => {
    create().start();
    await refreshes(1);
    const { chainId, newestSnapshot, reports, rejected } = stores.saved[0]!;
    expect({ chainId, newestSnapshot, rejected }).toEqual({
      ...{ chainId: 8453, newestSnapshot: chain.times.at(-1), rejected: [] },
    });
    expect(reports.map(({ summary }) => summary.name)).toEqual(['Vault 1', 'Vault 2', 'Vault 3']);
    for (const { vault, report } of reports) {
      // 48 hours that are over, and the one that runs.
      expect(hoursOfVault(vault)).toBe(49);
      expect(report.data.snapshots).toBe(49);
    }
    expect(warnings).toEqual([]);
  });

  it('behavior: the running hour is refreshed at each interval, and past hours are not', async () => {
    create().start();
    await refreshes(2);
    const before = new Map(stores.snapshots.writes);
    chain.times = [...chain.times, chain.times.at(-1)! + 1];
    await refreshes(2);
    const changed = [...stores.snapshots.writes].filter(([key, count]) => before.get(key) !== count);
    expect(changed.map(([key]) => Number(key.split(' ')[1]))).toEqual(
      [1, 2, 3].map(() => chain.times.at(-1)! - (chain.times.at(-1)! % 3_600)),
    );
    expect(stores.saved.at(-1)!.newestSnapshot).toBe(chain.times.at(-1));
  });

  it('behavior: an entry that the chain contradicts is stored as rejected, never sampled nor listed', async () => {
    const wrong = { ...entries[0]!, asset: { ...entries[0]!.asset, decimals: 18 } };
    let listed = [wrong, ...entries.slice(1)];
    create({ catalogue: { entries: () => Promise.resolve(listed) } }).start();
    await refreshes(1);
    const { vault, summary, assetPriceUsd } = stores.saved[0]!.reports.find(
      ({ summary: { name } }) => name === 'Vault 1',
    )!;
    expect(stores.saved[0]!.reports).toHaveLength(3);
    expect(summary).toMatchObject({ listed: false, asset: entries[0]!.asset, tvlUsd: 0 });
    expect(summary.exclusions[0]).toBe('contradicted:asset-decimals');
    expect(assetPriceUsd).toBe(1);
    expect(hoursOfVault(vault)).toBe(0);
    expect(stores.saved[0]!.rejected).toEqual([
      { chainId: 8453, address: addressOf(1), name: 'Vault 1', reason: 'the asset has 6 decimals' },
    ]);
    listed = entries.slice(1);
    await refreshes(2);
    expect(stores.saved.at(-1)!.reports).toHaveLength(2);
  });

  it('behavior: vaults join and leave with the catalogue', async () => {
    let listed = entries.slice(0, 2);
    create({ catalogue: { entries: () => Promise.resolve(listed) } }).start();
    await refreshes(1);
    listed = entries.slice(1);
    await refreshes(2);
    const { reports } = stores.saved.at(-1)!;
    expect(reports.map(({ summary }) => summary.name)).toEqual(['Vault 2', 'Vault 3']);
    expect(hoursOfVault(reports[1]!.vault)).toBe(49);
  });

  it('behavior: a vault whose reads fail has no snapshots, and costs the others none', async () => {
    create().start();
    await refreshes(1);
    const { respond } = chain;
    chain.respond = withResponse((target, functionName) =>
      target === addressOf(2) && functionName === 'totalAssets' ? '0x' : undefined,
    );
    const mine = (seconds: number) => (chain.times = [...chain.times, chain.times.at(-1)! + seconds]);
    for (const stored of [50, 51]) {
      mine(3_600);
      await until(() => hoursOfVault(1) === stored);
      await refreshes(1);
      expect(hoursOfVault(2)).toBe(49);
    }

    // The first of the two hours is final, and stays a gap.
    chain.respond = respond;
    mine(3_600);
    await until(() => hoursOfVault(1) === 52);
    await refreshes(1);
    expect(hoursOfVault(2)).toBe(51);
  });

  it('behavior: a chain that began anew is read anew, at any time', async () => {
    chain.finalized = 2 * hours - 2;
    create().start();
    await refreshes(2);
    chain.branch = 'second';
    chain.respond = withResponse((_, functionName) =>
      functionName === 'totalAssets' ? 66_600_000_000n : undefined,
    );
    await until(() => warnings.some((message) => message.includes('serves another chain than before')));
    await refreshes(1);
    await until(() => hoursOfVault(1) === 49);
    expect(
      [...stores.snapshots.rows.values()].every(({ totalAssets }) => totalAssets === 66_600_000_000n),
    ).toBe(true);
    const { reports } = stores.saved.at(-1)!;
    expect(reports[0]!.report.explanation.tvl.totalAssets).toBe('66600000000');
  });

  describe('where a replaced chain stops sampling', () => {
    const stopping = { options: { ...options, onReplacedChain: 'stop' } } as const;
    const beginOtherBranch = (branched: FakeChain) => {
      branched.branch = 'second';
      branched.respond = withResponse((_, functionName) =>
        functionName === 'totalAssets' ? 66_600_000_000n : undefined,
      );
    };
    const storedAssets = () =>
      new Set([...stores.snapshots.rows.values()].map(({ totalAssets }) => totalAssets));
    beforeEach(() => {
      chain.finalized = 2 * hours - 2;
    });

    it('default: nothing is deleted or written, an alert is raised, and the first chain resumes it', async () => {
      const sampler = create(stopping);
      sampler.start();
      await refreshes(1);
      const before = stores.snapshots.rows.size;
      beginOtherBranch(chain);
      await until(() => sampler.isStopped(8453));
      expect(alerts).toEqual([expect.stringContaining('discard-chain')]);
      expect(storedAssets()).toEqual(new Set([20_000_000_000n]));
      expect(stores.snapshots.rows.size).toBe(before);
      const saved = stores.saved.length;
      const failures = sampler.failuresOf(8453);
      await until(() => sampler.failuresOf(8453) > failures + 2);
      expect([stores.saved.length, alerts.length]).toEqual([saved, 1]);

      chain.branch = 'first';
      await refreshes(1);
      expect(sampler.isStopped(8453)).toBe(false);
    });

    it('behavior: once an operator discarded the data, the chain is read anew', async () => {
      const sampler = create(stopping);
      sampler.start();
      await refreshes(1);
      beginOtherBranch(chain);
      await until(() => sampler.isStopped(8453));
      await stores.snapshots.discardChain(8453);
      await until(() => hoursOfVault(1) === 49);
      await until(() => !sampler.isStopped(8453));
      expect(storedAssets()).toEqual(new Set([66_600_000_000n]));
    });

    it.each(['another past', 'an old head', 'another chain id'])(
      'behavior: one node with %s does not stop it',
      async (fault) => {
        const wrong = await startFakeChain(recentTimes());
        wrong.finalized = chain.finalized;
        const sampler = create({ ...stopping, chains: [chainOf(wrong, chain)] });
        sampler.start();
        await refreshes(1);
        if (fault === 'an old head') wrong.times = wrong.times.slice(0, hours);
        else beginOtherBranch(wrong);
        if (fault === 'another chain id') wrong.chainId = 1;
        await until(() => warnings.some((message) => message.includes('through node 2 alone')));
        await refreshes(2);
        expect(sampler.isStopped(8453)).toBe(false);
        expect(alerts).toEqual([]);
        expect(storedAssets().has(66_600_000_000n)).toBe(false);

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
      const sampler = create({ ...stopping, chains: [chainOf(chain, silent)] });
      sampler.start();
      await refreshes(1);
      beginOtherBranch(chain);
      silent.node.setFault('http-500');
      await until(() => sampler.failuresOf(8453) > 5);
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
    const work = new Promise<void>((resolve) => {
      create({
        leadership: {
          lead: (lead) => lead(lost.signal).finally(resolve),
          stop: () => Promise.resolve(),
        },
      }).start();
    });
    await work;
    expect(discards).toBe(0);
  });

  it('behavior: an orphaned head does not stand for its hour once that is final', async () => {
    const orphan = 2 * hours - 1;
    const [t, hour] = [chain.times.at(-1)!, chain.times.at(-1)! - (chain.times.at(-1)! % 3_600)];
    chain.finalized = orphan - 2;
    chain.respond = withResponse((_target, functionName, block) => {
      if (functionName !== 'totalAssets') return undefined;
      return 20_000_000_000n + BigInt(block);
    });
    create().start();
    await refreshes(1);
    const standing = () => stores.snapshots.rows.get(`1 ${hour}`);
    expect(standing()).toMatchObject({ t, block: BigInt(orphan) });

    // The last block of the hour is an earlier one now.
    [chain.branch, chain.branchedAt] = ['second', orphan];
    chain.times = [...chain.times.slice(0, orphan), t + 1_800, t + 3_600];
    chain.finalized = orphan;
    await until(() => (stores.snapshots.covered.get(1)?.until ?? 0) > hour);
    expect(standing()).toMatchObject({ t: t - 1_800, block: BigInt(orphan - 1) });
    expect(stores.snapshots.rows.get(`2 ${hour}`)).toMatchObject({ block: BigInt(orphan - 1) });
  });

  it('behavior: a node that is behind, or of another chain, discards nothing', async () => {
    chain.finalized = 2 * hours - 2;
    create().start();
    await refreshes(1);
    const rows = stores.snapshots.rows.size;
    const { times } = chain;
    chain.times = times.slice(0, 20);
    chain.finalized = 18;
    await until(() => warnings.length > 1);
    chain.times = times;
    [chain.branch, chain.chainId] = ['second', 1];
    const before = warnings.length;
    await until(() => warnings.length > before + 1);
    expect(warnings.every((message) => message.includes('sampling failed'))).toBe(true);
    expect(stores.snapshots.rows.size).toBe(rows);
    [chain.branch, chain.chainId, chain.finalized] = ['first', 8453, 2 * hours - 2];
    await refreshes(1);
  });

  it('behavior: an outage ends nothing: the last numbers stay, and sampling continues', async () => {
    create().start();
    await refreshes(1);
    chain.node.setFault('cut');
    const before = stores.saved.length;
    await until(() => warnings.length > 1);
    chain.node.setFault(undefined);
    await refreshes(1);
    expect(stores.saved.length).toBeGreaterThan(before);
    expect(samplers[0]!.failuresOf(8453)).toBeGreaterThan(1);
  });

  it('behavior: prices, simulations and a catalogue that fail do not keep the chain from being sampled', async () => {
    let looks = 0;
    create({
      pricerOf: () => Promise.reject(new Error('no prices')),
      proberOf: () => ({
        probe: () => Promise.reject(new Error('no simulation')),
        liquidity: () => Promise.resolve(new Map()),
      }),
      catalogue: {
        entries: () => (looks++ === 0 ? Promise.resolve(entries) : Promise.reject(new Error('no catalogue'))),
      },
    }).start();
    await refreshes(3);
    expect(stores.saved.at(-1)!.reports).toHaveLength(3);
    expect(hoursOfVault(1)).toBe(49);
    expect(stores.saved.at(-1)!.reports[0]!.assetPriceUsd).toBe(0);
  });

  it('behavior: simulations and liquidity reach the numbers, and simulations are stored', async () => {
    const probed: number[][] = [];
    create({
      proberOf: () => ({
        probe: (vaults, block) => {
          probed.push(vaults.map(({ id }) => id));
          return Promise.resolve(
            vaults.map(({ id }) => ({
              ...{ vault: id, result: 'paused' as const, checkedAt: now, block },
              ...{ failedStep: 'deposit' as const, reason: 'paused' },
              ...{ assetsIn: 1n, sharesOut: 0n, assetsOut: 0n },
            })),
          );
        },
        liquidity: (vaults) => Promise.resolve(new Map(vaults.map(({ id }) => [id, 0.25]))),
      }),
    }).start();
    await refreshes(2);
    expect(stores.saved.at(-1)!.reports[0]!.report.capability?.verdict).toBe('paused');
    expect(stores.capabilities.rows.size).toBe(3);
    // Once within the interval.
    expect(probed).toEqual([[1, 2, 3]]);
  });

  it('behavior: hours older than the retention are removed', async () => {
    create().start();
    await refreshes(1);
    expect(stores.snapshots.compacted).toHaveLength(1);
    expect(stores.snapshots.compacted[0]).toBe(now - 400 * 86_400);
  });

  it('behavior: a retention that fails is repeated after a while', async () => {
    let attempts = 0;
    stores.snapshots.compact = () => Promise.reject(new Error(`attempt ${(attempts += 1)}`));
    create().start();
    // Longer than the pause after other failures.
    await refreshes(15);
    expect(attempts).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('attempt 1')]);
  });

  it('behavior: only the elected process samples, and reads the store each time', async () => {
    let elect: (() => Promise<void>) | undefined;
    const ending = new AbortController();
    let lost = new AbortController();
    const sampler = create({
      leadership: {
        lead: (work) =>
          new Promise((resolve) => {
            elect = () => work(AbortSignal.any([ending.signal, lost.signal]));
            ending.signal.addEventListener('abort', () => resolve());
          }),
        stop: () => Promise.resolve(ending.abort()),
      },
    });
    sampler.start();
    expect(sampler.isLeader()).toBe(false);
    expect(chain.node.calls).toHaveLength(0);
    const first = elect!();
    await refreshes(1);
    expect(sampler.isLeader()).toBe(true);
    lost.abort();
    await first;
    expect(sampler.isLeader()).toBe(false);
    const reads = chain.multicalls.length;
    lost = new AbortController();
    const second = elect!();
    await refreshes(1);
    // The check and the head: the past is in the store.
    expect(chain.multicalls.length - reads).toBeLessThan(6);
    await sampler.stop();
    await second;
  });

  it('behavior: a failed read of the store is repeated the next time', async () => {
    create().start();
    await refreshes(1);
    await samplers[0]!.stop();
    const { coverage } = stores.snapshots;
    let isDown = true;
    stores.snapshots.coverage = (vaults) => (isDown ? Promise.reject(new Error('down')) : coverage(vaults));
    const written = new Map(stores.snapshots.writes);
    create().start();
    await until(() => warnings.length > 1);
    isDown = false;
    await refreshes(1);
    expect(stores.saved.at(-1)!.reports[0]!.report.data.snapshots).toBe(49);
    const again = [...stores.snapshots.writes].filter(([key, count]) => written.get(key) !== count);
    // The running hours alone.
    expect(again).toHaveLength(3);
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

  it('behavior: stored samples count in the numbers of a process that starts', async () => {
    const ids = await stores.snapshots.register([
      { vaultId: 'unused', chainId: 8453, address: addressOf(9) },
    ]);
    expect(ids.size).toBe(1);
    const t = chain.times[0]! - 20 * 86_400;
    await stores.snapshots.save([buildSnapshot({ vault: 2, t })], []);
    create({ catalogue: { entries: () => Promise.resolve(entries.slice(0, 1)) } }).start();
    await refreshes(1);
    expect(stores.saved[0]!.reports[0]!.report.data.firstSnapshotAt).toBe(new Date(t * 1_000).toISOString());
  });
});
