import { delegationCode } from '@yield-vault/smart-account';
import { concat, size, slice } from 'viem';
import { verifyEnvelope, verifyGaslessSetup, verifySetup } from '../../src/index.js';
import { verificationReasons } from '../../src/verify/result.js';
import { addressBook, local, ofCircle, ofOtherEntryPoint } from '../support/book.js';
import { buildGaslessExpectations, buildGaslessResponse } from '../support/build-gasless-setup.js';
import { buildExpectations, buildPrepared, clock, operations, wallet } from '../support/build-prepared.js';
import { buildSetupResponse } from '../support/build-setup.js';
import { flip, mutateJson, put } from '../support/mutate-json.js';

const options = { addressBook, ...clock };

describe.each(operations)('every field of the envelope of a %s', (_, hooks, operation, deployment) => {
  const envelope = buildPrepared({ hooks, deployment });
  const verify = (changed: unknown) => verifyEnvelope(changed, buildExpectations({ operation }), options);

  it('behavior: no change of any field passes, and each is refused with its reason', () => {
    expect(verify(envelope).ok).toBe(true);
    const mutations = mutateJson(envelope);
    const passed = mutations.filter(({ document }) => verify(document).ok).map(({ path }) => path);
    expect(passed).toEqual([]);
    expect(mutations.length).toBeGreaterThan(1_000);
    for (const { document } of mutations) {
      const result = verify(document);
      expect(!result.ok && verificationReasons.includes(result.reason) && result.detail).toBeTruthy();
    }
  });

  it('behavior: no change of the code of the wallet passes', () => {
    const code = delegationCode(local.account);
    const codes = [delegationCode(ofOtherEntryPoint.account)];
    for (let offset = 0; offset < size(code); offset += 1) codes.push(flip(code, offset));
    for (const walletCode of [...codes, '0x', slice(code, 0, 22), concat([code, '0x00'])] as const) {
      const result = verifyEnvelope(envelope, buildExpectations({ operation, walletCode }), options);
      expect(result).toMatchObject({ ok: false, reason: 'DELEGATION_MISMATCH', field: 'sender' });
    }
  });

  it('behavior: the order of properties and the case of digits mean nothing', () => {
    const backwards = Object.fromEntries(Object.entries(envelope).toReversed());
    expect(verify(backwards)).toEqual(verify(envelope));
    const lower = JSON.stringify(envelope).replaceAll(wallet, wallet.toLowerCase());
    expect(verify(JSON.parse(lower))).toEqual(verify(envelope));
    const upper = `0x${envelope.merkleRoot.slice(2).toUpperCase()}`;
    expect(verify(put(envelope, ['merkleRoot'], upper)).ok).toBe(true);
  });
});

describe.each([
  ['full', local],
  ['modules', local],
  ['full', ofCircle],
  ['modules', ofCircle],
] as const)('every field of the response that asks for a setup, %s', (setupType, deployment) => {
  const { setup, setupTicket, intentId, needsSetup } = buildSetupResponse({ setupType, deployment });
  const response = { setup, setupTicket, intentId, needsSetup, setupType };
  const verify = (changed: unknown) => verifySetup(changed, { wallet, chain: 'base' }, options);

  it('behavior: a change passes only where it changes neither the transaction nor its ticket, but for its fee', () => {
    const original = verify(response);
    if (!original.ok) throw new Error(original.reason);
    const mutations = mutateJson(response);
    for (const { path, document } of mutations) {
      const result = verify(document);
      if (!result.ok) continue;
      const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = result.transaction;
      const transaction = { ...original.transaction, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
      expect(result).toEqual({ ...original, transaction });
      expect(gasLimit * maxFeePerGas <= 10n ** 16n).toBe(true);
      if (!path.startsWith('setup.gas.')) expect(result).toEqual(original);
    }
    expect(mutations.length).toBeGreaterThan(300);
  });
});

it.each([
  ['with an authorization alone', {}, {}],
  ['with an authorization', { deployment: ofCircle }, {}],
  [
    'of a delegated wallet',
    { deployment: ofCircle, authorization: null },
    { walletCode: delegationCode(local.account) },
  ],
])(
  'every field of a gasless setup %s: of all changes only a lower permit passes, or none',
  (_, parts, expectations) => {
    const { gaslessSetup } = buildGaslessResponse(parts);
    const verify = (changed: unknown) =>
      verifyGaslessSetup(
        changed,
        buildGaslessExpectations({ ...expectations, maxAllowanceUsdc: 20_000_000n }),
        {
          addressBook,
        },
      );
    const original = verify({ gaslessSetup });
    if (!original.ok) throw new Error(original.reason);
    const { authorization, permit } = original;
    const mutations = mutateJson({ gaslessSetup });
    for (const { path, document } of mutations) {
      const result = verify(document);
      if (!result.ok) {
        expect(verificationReasons.includes(result.reason) && result.detail).toBeTruthy();
        continue;
      }
      expect(result.authorization).toEqual(authorization);
      if (permit && !result.permit) {
        // The account of a deployment whose paymaster needs no permit is the same.
        expect(path).toBe('gaslessSetup.permit null');
        continue;
      }
      const value = result.permit?.message.value ?? 20_000_000n;
      expect(result.permit).toEqual(permit && { ...permit, message: { ...permit.message, value } });
      expect(value <= 20_000_000n).toBe(true);
      if (value === 20_000_000n) expect([path, result]).toEqual([path, original]);
    }
    expect(mutations.length).toBeGreaterThan(100);
  },
);
