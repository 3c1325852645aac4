import { type ActiveChain, createActiveChains } from '@yield-vault/chains';
import { silentLogger } from '@yield-vault/protocol';
import { callAsOperator, localAddresses, localOperator } from '@yield-vault/testing/local';
import { erc20Abi, erc4626Abi, type Hex } from 'viem';
import { createProber } from '../../src/capability/create-prober.js';
import { discoverySchema } from '../../src/discovery-schema.js';
import { priceSources } from '../../src/ports.js';
import { createDepositSimulator } from '../../src/quoting/create-deposit-simulator.js';
import { serveDiscovery } from '../../src/serving/serve-discovery.js';
import { createSampler } from '../../src/vault-sampler.js';
import { buildChainConfig } from '../build-chain-config.js';
import { buildRegistryEntry } from '../build-registry-entry.js';
import { buildTrackedVault } from '../build-snapshots.js';
import { fixedPricer } from '../fixed-pricer.js';
import { createMemoryReportStore } from '../memory-report-store.js';
import {
  createMemoryCapabilityStore,
  createMemoryContractFactsStore,
  createMemoryExitStore,
  createMemorySnapshotStore,
} from '../memory-stores.js';
import { deposit, type Protocol, type Protocols, startProtocols, supplied } from './start-protocols.js';

jest.setTimeout(300_000);

const { usdc } = localAddresses[8453];
const names = ['aave', 'morpho'] as const;
const utilisations = [0, 0.37, 0.62, 0.933, 1];
/** Of what the vault holds already. */
const sizes = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const cases = <Each>(each: readonly Each[]) =>
  names.flatMap((name) => each.map((value) => [name, value] as const));

describe('real protocols', () => {
  let protocols: Protocols;
  let chain: ActiveChain;
  let snapshot: Hex;
  beforeAll(async () => {
    protocols = await startProtocols();
    const base = buildChainConfig({ rpcUrls: [protocols.rpcUrl] });
    chain = createActiveChains({ chains: { base } }).require('base');
  });
  beforeEach(async () => {
    snapshot = await protocols.node.snapshot();
  });
  afterEach(() => protocols.node.revert({ id: snapshot }));
  afterAll(() => protocols?.stop());

  const measureExit = async ({ vault }: Protocol) => {
    const options = { chain: 'base', rpc: chain.rpc, logger: silentLogger };
    const tracked = { ...buildTrackedVault({ address: vault }), shareDecimals: 6 };
    const block = await protocols.node.getBlockNumber();
    const [exit] = await createProber(options).exits([tracked], block, new AbortController().signal);
    return exit!;
  };

  /** The most that a redeem pays to the holder of all shares, by transactions that are undone. */
  const mostPaid = async ({ vault: address }: Protocol): Promise<bigint> => {
    const { node } = protocols;
    const held = (token: Hex) =>
      node.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [localOperator] });
    const redeem = async (shares: bigint): Promise<bigint | undefined> => {
      const id = await node.snapshot();
      const before = await held(usdc);
      const args = [shares, localOperator, localOperator];
      const call = { address, abi: erc4626Abi, functionName: 'redeem', args };
      const isPaid = await callAsOperator(node, call).then(
        () => true,
        () => false,
      );
      const paid = isPaid ? (await held(usdc)) - before : undefined;
      await node.revert({ id });
      return paid;
    };
    let [fits, tooMuch, most] = [0n, (await held(address)) + 1n, 0n];
    while (tooMuch - fits > 1n) {
      const shares = (fits + tooMuch) / 2n;
      const paid = await redeem(shares);
      if (paid === undefined) tooMuch = shares;
      else [fits, most] = [shares, paid];
    }
    return most;
  };

  it.each(cases(utilisations))('default: the exit of %s, lent out to %s', async (name, utilisation) => {
    const protocol = protocols[name];
    await protocol.lendOut(utilisation);
    await protocols.node.mine({ blocks: 1, interval: 86_400 });
    const { method, instant } = await measureExit(protocol);
    const paid = await mostPaid(protocol);
    expect(method).toBe('simulated');
    expect(instant).toBeLessThanOrEqual(paid);
    expect(instant).toBeGreaterThanOrEqual((paid * 99n) / 100n);
  });

  it.each(cases(sizes))('default: the APY of %s after a deposit of %s of its assets', async (name, size) => {
    const protocol = protocols[name];
    await protocol.lendOut(0.9);
    const assets = BigInt(size * Number(supplied));
    const vault = { ...buildTrackedVault().entry, vaultAddress: protocol.vault, shareDecimals: 6 };
    const simulated = await createDepositSimulator(chain, silentLogger)(vault, assets, false);
    await deposit(protocols.node, protocol.vault, assets);
    const { apy } = simulated as { readonly apy: number };
    expect(Math.abs(apy / (await protocol.apy()) - 1)).toBeLessThan(0.005);
  });

  it('behavior: discover drops a vault after two hourly samples of a freeze, and takes it back', async () => {
    const { node } = protocols;
    const entries = names.map((name) =>
      buildRegistryEntry({ address: protocols[name].vault, facts: { assetClass: 'fiat_stable' } }),
    );
    for (const name of names) await protocols[name].lendOut(0.5);
    await node.mine({ blocks: 30, interval: 3_600 });
    const { signal } = new AbortController();
    let seconds = 0;
    const [now, reports] = [() => seconds * 1_000, createMemoryReportStore()];
    const snapshots = createMemorySnapshotStore();
    const sampler = createSampler({
      chains: [chain],
      stores: {
        snapshots,
        reports,
        capabilities: createMemoryCapabilityStore(),
        exits: createMemoryExitStore(),
        contracts: createMemoryContractFactsStore(),
      },
      catalogue: { entries: () => Promise.resolve(entries) },
      pricerOf: () => fixedPricer(new Map([[usdc.toLowerCase(), { usd: 1, source: priceSources.feed }]])),
      proberOf: ({ key, rpc }) => createProber({ chain: key, rpc, logger: silentLogger, now }),
      options: discoverySchema.parse({ backfillHours: 48, sampleIntervalSeconds: 3_600 }),
      now,
    });
    const [sampling] = sampler.begin(signal);
    const chains = createActiveChains({
      chains: { base: buildChainConfig({ rpcUrls: [protocols.rpcUrl] }) },
    });
    const options = { maxRankingAgeSeconds: 10_800, followIntervalSeconds: 1 };
    const discovery = serveDiscovery({
      chains,
      stores: { snapshots, reports },
      options,
      now,
      logger: silentLogger,
    });
    /** What discover offers in the next hour, and why not all. */
    const nextHour = async () => {
      await node.mine({ blocks: 1, interval: 3_600 });
      seconds = Number((await node.getBlock()).timestamp);
      await sampling!.run(signal);
      await discovery.job.run(signal);
      const { vaults } = discovery.discover({ chain: 'base', strategy: 'balanced', limit: 20 });
      const summaries = await reports.summaries(chain.chainId);
      return [vaults.length, ...summaries.flatMap(({ summary }) => summary.exclusions)];
    };
    expect(await nextHour()).toEqual([2]);
    for (const name of names) await protocols[name].lendOut(1);
    expect(await nextHour()).toEqual([2]);
    for (let hour = 0; hour < 3; hour++) expect(await nextHour()).toEqual([0, 'no-exit', 'no-exit']);
    for (const name of names) await protocols[name].repay(supplied / 2n);
    expect(await nextHour()).toEqual([2]);
  });
});
