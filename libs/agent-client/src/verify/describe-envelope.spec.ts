import { addressBook, stranger, vault } from '../../test/support/book.js';
import { buildPrepared, deposit, journeys, now } from '../../test/support/build-prepared.js';
import { describeEnvelope } from './describe-envelope.js';

describe('describeEnvelope', () => {
  it.each(journeys)('default: says what a %s does', (_, hooks, __, summary) => {
    const verdict = describeEnvelope(buildPrepared({ hooks }), { addressBook });
    expect(verdict.ok && verdict.summary.slice(1)).toEqual(summary);
  });

  it('behavior: describes what nobody should sign', () => {
    const greedy = { ...deposit, vault: stranger, minShares: 1n } as const;
    const verdict = describeEnvelope(buildPrepared({ hooks: [greedy], expiry: 1 }), { addressBook });
    expect(verdict.ok && verdict.summary[2]).toBe(
      `deposit 25 USDC into ${stranger} for at least 1 base units of share token ${stranger}, to yourself`,
    );
  });

  it('behavior: says when an intent expires that outlives every calendar', () => {
    const verdict = describeEnvelope(buildPrepared({ expiry: 2 ** 48 - 1 }), { addressBook });
    expect(verdict.ok && verdict.summary[0]).toMatch(/until second 281474976710655$/);
  });

  it('error: the reason why no honest deployment made it', () => {
    const { userOps, ...rest } = buildPrepared();
    expect(describeEnvelope({ ...rest, userOps, expiry: now + 1 }, { addressBook })).toMatchObject({
      ok: false,
      reason: 'MERKLE_ROOT_MISMATCH',
    });
    expect(describeEnvelope({ vault }, { addressBook })).toMatchObject({ ok: false, reason: 'MALFORMED' });
  });
});
