import { testAccount, testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import type { Address } from 'viem';
import { agentAddressBook, describeEnvelope, signIntent, verifyEnvelope } from '../src/index.js';
import { parseExpectations } from '../src/verify/expectations.js';
import { bookOf, local } from './support/book.js';
import file from './vectors/envelopes.json' with { type: 'json' };

// The vectors outlive changes of our paymaster, which move its address.
const address = file.paymaster as Address;
const ofOwnPaymaster = bookOf({ ...local, paymaster: { ...local.paymaster, address } });

describe.each(file.vectors.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
  const { envelope, userOpHash, leaf, digest, signature, summary } = vector;
  const expectations = parseExpectations(vector.expectations);
  const addressBook = vector.name.includes('Circle') ? agentAddressBook : ofOwnPaymaster;
  const options = { addressBook, now: () => file.now * 1000 };

  it('behavior: verified to the frozen hashes, and in the frozen words', () => {
    expect(verifyEnvelope(envelope, expectations, options)).toMatchObject({
      ok: true,
      envelope,
      signing: envelope.signing,
      userOpHash,
      leaf,
      merkleRoot: leaf,
      digest,
      summary,
    });
  });

  it('behavior: described in the same words', () => {
    expect(describeEnvelope(envelope, options)).toEqual(verifyEnvelope(envelope, expectations, options));
  });

  it('behavior: viem and ethers sign the same', async () => {
    const result = verifyEnvelope(envelope, expectations, options);
    if (!result.ok) throw new Error(result.reason);
    await expect(signIntent(testAccount('owner'), result)).resolves.toBe(signature);
    await expect(signIntent(new Wallet(testKey('owner')), result)).resolves.toBe(signature);
  });
});
