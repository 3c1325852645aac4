import { verificationReasons, verifyEnvelope, verifySetup } from '../../src/index.js';
import { addressBook } from '../support/book.js';
import { buildExpectations, buildPrepared, clock, journeys, wallet } from '../support/build-prepared.js';
import { buildSetupAnswer } from '../support/build-setup.js';
import { mutateJson, put } from '../support/mutate-json.js';

const options = { addressBook, ...clock };

describe.each(journeys)('every field of the envelope of a %s', (_, hooks, operation) => {
  const envelope = buildPrepared({ hooks });
  const verify = (changed: unknown) => verifyEnvelope(changed, buildExpectations({ operation }), options);

  it('behavior: no change of any field passes, and each is refused with its reason', () => {
    expect(verify(envelope).ok).toBe(true);
    const mutations = mutateJson(envelope);
    const passed = mutations.filter(({ document }) => verify(document).ok).map(({ path }) => path);
    expect(passed).toEqual([]);
    expect(mutations.length).toBeGreaterThan(1_000);
    for (const { document } of mutations) {
      const verdict = verify(document);
      expect(!verdict.ok && verificationReasons.includes(verdict.reason) && verdict.detail).toBeTruthy();
    }
  });

  it('behavior: the order of properties and the case of digits mean nothing', () => {
    const backwards = Object.fromEntries(Object.entries(envelope).toReversed());
    expect(verify(backwards)).toEqual(verify(envelope));
    const upper = `0x${envelope.merkleRoot.slice(2).toUpperCase()}`;
    expect(verify(put(envelope, ['merkleRoot'], upper)).ok).toBe(true);
  });
});

describe.each(['full', 'modules'] as const)(
  'every field of the answer that asks for a setup, %s',
  (setupType) => {
    const { setup, setupTicket, intentId, needsSetup } = buildSetupAnswer({ setupType });
    const answer = { setup, setupTicket, intentId, needsSetup, setupType };
    const verify = (changed: unknown) => verifySetup(changed, { wallet, chain: 'base' }, options);

    it('behavior: a change passes only where it changes neither the transaction nor what it is relayed with', () => {
      const original = verify(answer);
      if (!original.ok) throw new Error(original.reason);
      const { transaction, setupTicket: ticket } = original;
      const mutations = mutateJson(answer);
      const passed = mutations.filter(({ document }) => {
        const verdict = verify(document);
        return verdict.ok && JSON.stringify(verdict, text) !== JSON.stringify(original, text);
      });
      // What fees the server proposes is the one thing that is only bounded.
      expect(passed.filter(({ path }) => !path.startsWith('setup.gas.'))).toEqual([]);
      for (const { document } of passed) {
        const verdict = verify(document);
        if (!verdict.ok) throw new Error(verdict.reason);
        expect(verdict.setupTicket).toEqual(ticket);
        expect(verdict.transaction).toEqual({
          ...transaction,
          gasLimit: expect.any(BigInt),
          maxFeePerGas: expect.any(BigInt),
          maxPriorityFeePerGas: expect.any(BigInt),
        });
        expect(verdict.transaction.gasLimit * verdict.transaction.maxFeePerGas <= 10n ** 16n).toBe(true);
      }
      expect(mutations.length).toBeGreaterThan(300);
    });
  },
);

const text = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
