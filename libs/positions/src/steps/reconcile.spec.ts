import { reconcile } from './reconcile.js';

const replayed = { shares: 100n, costBasis: 50n, realised: 0n, openedAtBlock: 1n };

describe('reconcile', () => {
  it('default: the balance is what the events say', () => {
    expect(reconcile(replayed, 100n, 60n)).toEqual({ costBasis: 50n, basisEstimated: false });
  });

  it('behavior: scales the basis to a balance that grew or shrank without events', () => {
    expect(reconcile(replayed, 110n, 66n)).toEqual({ costBasis: 55n, basisEstimated: true });
    expect(reconcile(replayed, 0n, 0n)).toEqual({ costBasis: 0n, basisEstimated: true });
  });

  it('behavior: shares that no event explains cost what they are worth', () => {
    const none = { shares: 0n, costBasis: 0n, realised: 0n, openedAtBlock: undefined };
    expect(reconcile(none, 100n, 60n)).toEqual({ costBasis: 60n, basisEstimated: true });
  });
});
