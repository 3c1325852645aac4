import { buildContractFacts } from '../../test/build-contract-facts.js';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { flagsOf, governanceOf, riskFacts } from './contract-facts.js';

const now = Date.parse('2026-12-01') / 1_000;
const reviewed = buildRegistryEntry({
  reviewed: '2026-11-20',
  facts: { admin: 'dao', timelockSeconds: 172_800, curator: 'known', strategy: 'multi_market', audits: 2 },
});

describe('riskFacts', () => {
  it('default: the chain overrides the registry, which fills the rest', () => {
    const contract = buildContractFacts({
      governance: { admin: 'multisig', timelockSeconds: 86_400, safeThreshold: 2 },
      words: { oracle: 'rate', strategy: 'isolated' },
    });
    expect(riskFacts(reviewed, contract, now)).toMatchObject({
      admin: 'multisig',
      timelock: 86_400,
      safeThreshold: 2,
      curator: 'known',
      oracle: 'rate',
      strategy: 'isolated',
      audits: 2,
    });
  });

  it.each([
    // Nobody of whom the contracts say anything.
    [null, true, 'dao', 'dao'],
    [null, true, undefined, undefined],
    // The worse counts.
    ['eoa', false, 'dao', 'eoa'],
    ['immutable', false, 'eoa', 'eoa'],
    ['timelock', false, 'multisig', 'multisig'],
    // Others are unknown.
    ['timelock', true, undefined, undefined],
    ['timelock', false, undefined, 'timelock'],
    ['eoa', true, undefined, 'eoa'],
  ] as const)(
    'behavior: the chain says %s (others are unknown: %s), the registry %s',
    (admin, isAdminPartial, fact, expected) => {
      const entry = { ...reviewed, facts: { ...reviewed.facts, admin: fact, timelockSeconds: 0 } };
      const contract = buildContractFacts({ governance: { admin }, isAdminPartial });
      expect(riskFacts(entry, contract, now).admin).toBe(expected);
    },
  );

  it('behavior: the chain knows the signatures of a reviewed multisig', () => {
    const entry = {
      ...reviewed,
      facts: { ...reviewed.facts, admin: 'multisig', timelockSeconds: 0 } as const,
    };
    const contract = buildContractFacts({ governance: { admin: 'multisig', safeThreshold: 3 } });
    expect(governanceOf(entry, contract, now)).toMatchObject({ source: 'chain', safeThreshold: 3 });
  });
});

describe('governanceOf', () => {
  it('default: reviewed facts, before the contracts were read', () => {
    expect(governanceOf(reviewed, undefined, now)).toEqual({
      source: 'registry',
      checkedAt: '2026-11-20T00:00:00.000Z',
      admin: 'dao',
      timelockSeconds: 172_800,
      owner: null,
      curator: null,
      guardian: null,
      safeThreshold: null,
      safeOwners: null,
      pendingChanges: [],
    });
  });

  it('behavior: the source is the one whose admin counts', () => {
    const read = buildContractFacts({ checkedAt: 1_800_000_000, governance: { admin: 'eoa' } });
    expect(governanceOf(reviewed, read, now)).toMatchObject({
      source: 'chain',
      checkedAt: '2027-01-15T08:00:00.000Z',
    });
    expect(governanceOf(reviewed, buildContractFacts(), now)).toMatchObject({
      source: 'registry',
      admin: 'dao',
    });
  });
});

describe('flagsOf', () => {
  it.each([
    [true, ['async', 'reserve-frozen', 'pending-change']],
    [false, ['async', 'reserve-frozen']],
  ])('default: an announced change that loosens (%s)', (loosens, expected) => {
    const contract = buildContractFacts({
      governance: { pendingChanges: [{ change: 'x', loosens, validAt: null }] },
      flags: ['reserve-frozen'],
    });
    expect(flagsOf({ ...reviewed, flags: ['async'] }, contract)).toEqual(expected);
  });
});
