import { chainFacts } from '@yield-vault/contracts';
import assetFile from './data/assets.json' with { type: 'json' };
import vaultFile from './data/vaults.json' with { type: 'json' };
import { badFlags } from './catalogue-source.js';
import { shippedRegistry } from './shipped-registry.js';

const find = (address: string, chainId = 1) =>
  shippedRegistry({ candidates: true }).find(
    (entry) => entry.address === address && entry.chainId === chainId,
  )!;

describe('shippedRegistry', () => {
  it('default: the reviewed vaults of both chains; candidates on request', () => {
    const active = shippedRegistry();
    const of = (chain: string, chainId: number) =>
      active.filter((entry) => entry.chain === chain && entry.chainId === chainId).length;
    expect([active.length, of('ethereum', 1), of('base', 8453)]).toEqual([139, 95, 44]);
    expect(active.every(({ status, reviewed }) => status === 'active' && reviewed === '2026-11-20')).toBe(
      true,
    );
    const all = shippedRegistry({ candidates: true });
    const candidates = all.filter(({ status, reviewed }) => status === 'candidate' && !reviewed);
    expect([all.length, candidates.length]).toEqual([416, 277]);
  });

  // Discovery compares the assets with the chain, and so the facts, too.
  it('behavior: its assets are tokens of the facts of their chain', () => {
    for (const { chainId, address, symbol, decimals } of assetFile.assets) {
      const { usdc, wrappedNative, tokens } = chainFacts(chainId);
      const token = [usdc, wrappedNative, ...tokens].find((each) => each.address === address);
      expect(token).toMatchObject({ symbol, decimals });
    }
  });

  it('behavior: no active vault has a flag that keeps it out', () => {
    const flagged = shippedRegistry().filter(({ flags }) => flags.some((flag) => badFlags.has(flag)));
    expect(flagged).toEqual([]);
  });

  it('behavior: each vault of the core profile meets the criteria of docs/registry.md', () => {
    const core = shippedRegistry().filter(({ profiles }) => profiles?.includes('core'));
    const ofChain = (id: number) => core.filter(({ chainId }) => chainId === id);
    expect([ofChain(1).length, ofChain(8453).length]).toEqual([11, 10]);
    const inUsdc = core.filter(({ asset }) => asset.symbol === 'USDC');
    expect(inUsdc.length * 2).toBeGreaterThan(core.length);
    const aYearBefore = String(Number(vaultFile.collected.slice(0, 4)) - 1) + vaultFile.collected.slice(4);
    for (const { chainId, address, firstSeen = '', facts, flags, sources } of core) {
      const raw = vaultFile.vaults.find((vault) => vault.address === address && vault.chainId === chainId)!;
      expect(flags.filter((flag) => flag !== 'no-flash-loans')).toEqual([]);
      expect(sources.length).toBeGreaterThanOrEqual(2);
      expect(facts.audits).toBeGreaterThanOrEqual(2);
      expect(['none_needed', 'known']).toContain(facts.curator);
      expect(['savings', 'lending', 'multi_market']).toContain(facts.strategy);
      if (raw.observed) {
        expect(firstSeen < aYearBefore && firstSeen !== '').toBe(true);
        expect(raw.observed.navUsd).toBeGreaterThanOrEqual(4_500_000);
      } else expect([facts.curator, raw.sources.includes('balancer')]).toEqual(['none_needed', true]);
    }
  });

  it('behavior: a vault has the facts of its asset, protocol and curator', () => {
    expect(find('0xBEEF01735c132Ada46AA9aA4c54623cAA92A64CB')).toMatchObject({
      name: 'Steakhouse USDC',
      protocol: 'morpho',
      curatorName: 'Steakhouse Financial',
      facts: { assetClass: 'fiat_stable', curator: 'known', strategy: 'multi_market', audits: 3 },
    });
  });

  it('behavior: facts may hold on one chain only, and one vault may know more than its protocol', () => {
    const fluid = shippedRegistry().filter(({ protocol }) => protocol === 'fluid');
    expect(fluid.filter(({ facts }) => facts.admin === 'dao').map(({ chainId }) => chainId)).toEqual([
      1, 1, 1,
    ]);
    expect(fluid).toHaveLength(6);
    expect(find('0xBe53A109B494E5c9f97b9Cd39Fe969BE68BF6204').facts).toMatchObject({
      admin: 'multisig',
      timelockSeconds: 604_800,
      strategy: 'aggregator',
    });
  });

  it('behavior: every fact is covered by exactly one piece of evidence', () => {
    for (const { facts, evidence = [] } of shippedRegistry({ candidates: true })) {
      const covered = evidence.flatMap((piece) => piece.facts);
      expect([...covered].sort()).toEqual(Object.keys(facts).sort());
      expect(evidence.every(({ source, date }) => source !== '' && date >= '2026-11-20')).toBe(true);
    }
  });

  it('behavior: the file is sorted by chain, protocol and name, so that a change shows where it belongs', () => {
    const keys = vaultFile.vaults.map(({ chainId, protocol, name, address }) =>
      [chainId.toString().padStart(5), protocol, name.toLowerCase(), address.toLowerCase()].join('\0'),
    );
    const sorted = [...keys].sort();
    expect(keys).toEqual(sorted);
  });
});
