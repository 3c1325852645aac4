import vaultFile from './data/vaults.json' with { type: 'json' };
import { badFlags } from './catalogue-source.js';
import { shippedRegistry } from './shipped-registry.js';

const find = (address: string, chainId = 1) =>
  shippedRegistry({ candidates: true }).find(
    (entry) => entry.address === address && entry.chainId === chainId,
  )!;

describe('shippedRegistry', () => {
  it('default: the active vaults of both chains', () => {
    const active = shippedRegistry();
    expect(active).toHaveLength(139);
    expect(active.filter(({ chain, chainId }) => chain === 'ethereum' && chainId === 1)).toHaveLength(95);
    expect(active.filter(({ chain, chainId }) => chain === 'base' && chainId === 8453)).toHaveLength(44);
    expect(active.every(({ status, reviewed }) => status === 'active' && reviewed === '2026-11-20')).toBe(
      true,
    );
  });

  it('behavior: candidates on request, never reviewed', () => {
    const all = shippedRegistry({ candidates: true });
    expect(all).toHaveLength(416);
    const candidates = all.filter(({ status }) => status === 'candidate');
    expect(candidates).toHaveLength(277);
    expect(candidates.filter(({ reviewed }) => reviewed !== undefined)).toEqual([]);
  });

  it('behavior: no active vault has a flag that keeps it out', () => {
    const flagged = shippedRegistry().filter(({ flags }) => flags.some((flag) => badFlags.has(flag)));
    expect(flagged).toEqual([]);
  });

  it('behavior: a vault has the facts of its asset, protocol and curator, each with its source', () => {
    expect(find('0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD')).toMatchObject({
      protocol: 'sky',
      asset: { symbol: 'USDS', decimals: 18 },
      firstSeen: '2024-09-15',
      facts: {
        assetClass: 'cdp_stable',
        admin: 'dao',
        timelockSeconds: 172_800,
        audits: 2,
        strategy: 'savings',
      },
    });
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

  it('behavior: unknown facts are left out', () => {
    const candidate = find('0xE002Ea659d522F37DeE615466E2869D51883428b');
    expect(candidate.facts).toEqual({ assetClass: 'fiat_stable', strategy: 'aggregator' });
    expect(candidate.firstSeen).toBeUndefined();
  });

  it('behavior: the file is sorted by chain, protocol and name, so that a change shows where it belongs', () => {
    const keys = vaultFile.vaults.map(
      ({ chainId, protocol, name, address }) =>
        [chainId, protocol, name.toLowerCase(), address.toLowerCase()] as const,
    );
    const sorted = [...keys].sort((a, b) => {
      for (const index of [0, 1, 2, 3] as const) {
        if (a[index] < b[index]) return -1;
        if (a[index] > b[index]) return 1;
      }
      return 0;
    });
    expect(keys).toEqual(sorted);
  });
});
