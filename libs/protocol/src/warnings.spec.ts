import { vaultWarnings } from './warnings.js';
import type { Governance, PendingChange } from './wire/vault-facts.js';

const vault: Parameters<typeof vaultWarnings>[0] = {
  name: 'Steady USDC',
  exit: { instantUsd: 9_500_000, p10Usd: null, method: 'simulated', checkedAt: null },
  coverage: 100,
  governance: { pendingChanges: [] } as Partial<Governance> as Governance,
};
const exitOf = (instantUsd: number | null) => ({ exit: { ...vault.exit, instantUsd } });
const announcing = (...pendingChanges: readonly PendingChange[]) => ({
  governance: { ...vault.governance, pendingChanges },
});
const fee = { change: 'fee: 20 % instead of 10 %', loosens: true, validAt: '2026-12-03T09:00:00.000Z' };
const cap = { ...fee, change: 'cap: 5 instead of 10', loosens: false, validAt: '2026-12-01T09:00:00.000Z' };
const sooner = { ...fee, validAt: '2026-12-02T09:00:00.000Z' };

describe('vaultWarnings', () => {
  it.each<[name: string, codes: readonly string[], vault: Partial<typeof vault>]>([
    ['twice the amount, just', [], exitOf(50_000)],
    ['less than twice the amount', ['EXIT_THIN'], exitOf(49_999.99)],
    ['an unknown exit', ['EXIT_THIN'], exitOf(null)],
    ['coverage of 60', [], { coverage: 60 }],
    ['coverage below', ['LOW_COVERAGE'], { coverage: 59.9 }],
    ['a change that tightens', [], announcing(cap)],
    ['a change that loosens', ['PENDING_CHANGE'], announcing(cap, fee)],
    [
      'all at once',
      ['EXIT_THIN', 'LOW_COVERAGE', 'PENDING_CHANGE'],
      { ...exitOf(0), coverage: 0, ...announcing(fee) },
    ],
  ])('behavior: %s', (_, codes, change) => {
    expect(vaultWarnings({ ...vault, ...change }, 25_000).map(({ code }) => code)).toEqual(codes);
  });

  it('default: the earliest time of a pending change, if one is known', () => {
    const messageOf = (...changes: readonly PendingChange[]) =>
      vaultWarnings({ ...vault, ...announcing(...changes) }, 1)[0]!.message;
    expect(messageOf(fee, cap, { ...fee, validAt: null }, sooner)).toMatch(
      /from 2026-12-02T09:00:00.000Z on/,
    );
    expect(messageOf({ ...fee, validAt: null })).toMatch(/at an unknown time/);
  });
});
