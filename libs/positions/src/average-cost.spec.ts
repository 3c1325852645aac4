import type { MovementKind } from '@yield-vault/smart-account';
import fc from 'fast-check';
import vectors from '../test/vectors/cost-basis.json' with { type: 'json' };
import { partialBasis, reconcile, replayAverageCost } from './average-cost.js';
import type { PricedMovement } from './types.js';

const movements = vectors.events.map((event): PricedMovement => ({
  kind: event.kind.replace('_', '-') as MovementKind,
  blockNumber: BigInt(event.t),
  logIndex: 0,
  shares: BigInt(event.shares),
  assets: BigInt(event.assets),
}));

const anyMovement: fc.Arbitrary<PricedMovement> = fc.record({
  kind: fc.constantFrom<MovementKind>('deposit', 'withdraw', 'transfer-in', 'transfer-out'),
  blockNumber: fc.bigInt({ min: 0n, max: 50n }),
  logIndex: fc.nat(1_000_000),
  shares: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  assets: fc.bigInt({ min: 0n, max: 10n ** 18n }),
});

/** Events of a wallet with a real balance at a vault whose share price never falls. Nothing is rounded. */
const growingHistory = fc
  .array(
    fc.record({
      kind: fc.constantFrom<MovementKind>('deposit', 'withdraw', 'transfer-in', 'transfer-out'),
      shares: fc.bigInt({ min: 1n, max: 10n ** 24n }),
      priceGrowth: fc.bigInt({ min: 0n, max: 1_000n }),
    }),
    { maxLength: 40 },
  )
  .map((steps) => {
    let price = 1n;
    let balance = 0n;
    const history: PricedMovement[] = [];
    for (const [index, step] of steps.entries()) {
      price += step.priceGrowth;
      const isOut = step.kind === 'withdraw' || step.kind === 'transfer-out';
      const shares = isOut && step.shares > balance ? balance : step.shares;
      balance += isOut ? -shares : shares;
      if (shares > 0n)
        history.push({
          ...{ kind: step.kind, shares, assets: shares * price },
          ...{ blockNumber: BigInt(index), logIndex: 0 },
        });
    }
    return history;
  });

const anyHistory = fc.uniqueArray(anyMovement, {
  selector: ({ blockNumber, logIndex }) => `${blockNumber}/${logIndex}`,
  maxLength: 40,
});

const replayed = { shares: 100n, costBasis: 50n, realised: 0n, openedAtBlock: 1n };

describe('replayAverageCost', () => {
  it.each(vectors.average.map((state, index) => [index + 1, state] as const))(
    'vector: state after event %i',
    (count, state) => {
      expect(replayAverageCost(movements.slice(0, count))).toEqual({
        shares: BigInt(state.shares),
        costBasis: BigInt(state.costBasis),
        realised: BigInt(state.realised),
        openedAtBlock: state.depositTimestamp === null ? undefined : BigInt(state.depositTimestamp),
      });
    },
  );

  it('default: nothing moved, nothing held', () => {
    expect(replayAverageCost([])).toEqual({
      shares: 0n,
      costBasis: 0n,
      realised: 0n,
      openedAtBlock: undefined,
    });
  });

  it('behavior: within a block the log index decides', () => {
    const [buy, sell] = [movements[0]!, { ...movements[2]!, blockNumber: 1n, logIndex: 7 }];
    expect(replayAverageCost([sell, buy])).toEqual(replayAverageCost([buy, sell]));
    expect(replayAverageCost([sell, buy]).realised).toBe(18_000_000n);
  });

  it('behavior: a withdrawal of unknown origin realises no profit', () => {
    const [deposited, , withdrawn] = movements;
    expect(replayAverageCost([withdrawn!]).realised).toBe(0n);
    // 300 of the 1,000 shares that leave were seen to come, for 318 USDC. They pay 330 of the 1,100.
    const seen: PricedMovement = { ...deposited!, shares: 300n, assets: 318_000_000n };
    const left: PricedMovement = { ...withdrawn!, shares: 1_000n, assets: 1_100_000_000n };
    expect(replayAverageCost([seen, left])).toEqual({
      shares: 0n,
      costBasis: 0n,
      realised: 12_000_000n,
      openedAtBlock: undefined,
    });
  });

  it('property: a wallet whose first events are hidden never realises more than with them', () => {
    fc.assert(
      fc.property(growingHistory, fc.nat(40), (history, hidden) => {
        const whole = replayAverageCost(history).realised;
        const known = replayAverageCost(history.slice(hidden)).realised;
        // Each withdrawal rounds the cost that it takes.
        expect(known - whole <= BigInt(2 * history.length)).toBe(true);
      }),
    );
  });

  it('property: basis and shares are never negative for any events', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const { shares, costBasis, openedAtBlock } = replayAverageCost(history);
        expect(shares >= 0n && costBasis >= 0n).toBe(true);
        if (shares === 0n) expect([costBasis, openedAtBlock]).toEqual([0n, undefined]);
      }),
    );
  });

  it('property: the order in which events arrive does not matter', () => {
    const shuffled = anyHistory.chain((history) =>
      fc.tuple(
        fc.constant(history),
        fc.shuffledSubarray(history, { minLength: history.length, maxLength: history.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([history, shuffledHistory]) => {
        expect(replayAverageCost(shuffledHistory)).toEqual(replayAverageCost(history));
      }),
    );
  });
});

describe('reconcile', () => {
  it('default: the balance follows from the events', () => {
    expect(reconcile(replayed, 100n, 60n)).toBe(50n);
  });

  it('behavior: scales the basis to a balance that grew or shrank without events', () => {
    expect(reconcile(replayed, 110n, 66n)).toBe(55n);
    expect(reconcile(replayed, 0n, 0n)).toBe(0n);
  });

  it('behavior: shares without an event cost their current worth', () => {
    const none = { shares: 0n, costBasis: 0n, realised: 0n, openedAtBlock: undefined };
    expect(reconcile(none, 100n, 60n)).toBe(60n);
  });
});

describe('partialBasis', () => {
  it('default: covers what has been read, and no more than is held', () => {
    expect(partialBasis(replayed, 150n)).toBe(50n);
    expect(partialBasis(replayed, 50n)).toBe(25n);
    expect(partialBasis({ ...replayed, shares: 0n, costBasis: 0n }, 100n)).toBe(0n);
  });
});
