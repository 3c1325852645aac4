import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { currentFacts } from './current-facts.js';
import { shippedRegistry } from './shipped-registry.js';

const at = (date: string) => Date.parse(date) / 1_000;
const facts = { audits: 2, oracle: 'chainlink', assetClass: 'lst', lastIncident: '2025-01-01' } as const;
const entry = buildRegistryEntry({
  reviewed: '2026-01-01',
  facts,
  evidence: [{ facts: ['audits'], source: 'a report', date: '2025-06-01' }],
});

describe('currentFacts', () => {
  it('default: keeps every fact of the shipped vaults', () => {
    for (const vault of shippedRegistry({ candidates: true }))
      expect(currentFacts(vault, at('2026-12-01'))).toEqual(vault.facts);
  });

  it('behavior: a fact is 400 days old at most; a kind of asset and an incident stay', () => {
    const { assetClass, lastIncident } = facts;
    expect(currentFacts(entry, at('2026-07-06'))).toEqual(facts);
    expect(currentFacts(entry, at('2026-07-07'))).toEqual({ oracle: 'chainlink', assetClass, lastIncident });
    expect(currentFacts(entry, at('2027-02-06'))).toEqual({ assetClass, lastIncident });
  });

  it('behavior: a fact without a date is unknown', () => {
    expect(currentFacts(buildRegistryEntry({ evidence: [] }), at('2026-07-01'))).toEqual({
      assetClass: 'fiat_stable',
    });
  });
});
