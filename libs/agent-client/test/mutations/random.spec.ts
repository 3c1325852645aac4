import type { UserOperation } from '@yield-vault/protocol';
import type { ExecutorHook } from '@yield-vault/smart-account';
import { nonceKey } from '@yield-vault/smart-account';
import fc from 'fast-check';
import { extendAddressBook, localAddressBook, verifyEnvelope } from '../../src/index.js';
import {
  local,
  ofCircle,
  ofOtherEntryPoint,
  otherVault,
  stranger,
  usdc,
  vault,
  weth,
} from '../support/book.js';
import {
  buildExpectations,
  buildPrepared,
  clock,
  operations,
  now,
  wallet,
  type PreparedParts,
} from '../support/build-prepared.js';
import { isHarmless } from '../support/is-harmless.js';

// The judge knows one paymaster. An envelope does not name the account, so any paymaster of the book would do.
const addressBook = extendAddressBook(localAddressBook, { deployments: [ofOtherEntryPoint] });
const options = { addressBook, ...clock };
const near = (value: bigint) => fc.constantFrom(value, value - 1n, value + 1n, 1n, value * 2n);
const addresses = fc.constantFrom(vault, otherVault, stranger, usdc, weth, local.executor);

/** Change one number or address of one hook. */
const changedHook = (hook: ExecutorHook): fc.Arbitrary<ExecutorHook> => {
  const numbers = Object.entries(hook).filter(([, value]) => typeof value === 'bigint') as [string, bigint][];
  const places = hook.hook === 'approve-paymaster' ? [] : (['vault', 'token'] as const);
  return fc.oneof(
    ...numbers.map(([key, value]) => near(value).map((other) => ({ ...hook, [key]: other }))),
    ...places.map((key) => addresses.map((other) => ({ ...hook, [key]: other }))),
    fc.constant(hook),
  );
};

/** Change, move, drop or double hooks. */
const changedHooks = (hooks: readonly ExecutorHook[]) =>
  fc
    .tuple(...hooks.map(changedHook))
    .chain((changed) =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(changed as ExecutorHook[]) },
        { weight: 1, arbitrary: fc.subarray([...changed, ...changed], { minLength: 1 }) },
        { weight: 1, arbitrary: fc.shuffledSubarray(changed, { minLength: 1 }) },
      ),
    );

const validatorKey = nonceKey(local.validator);
const changedOperation: fc.Arbitrary<Partial<UserOperation>> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  fc.record({ nonce: fc.constantFrom(1n, validatorKey << 64n, (validatorKey + 1n) << 64n, validatorKey) }),
  fc.record({ sender: fc.constantFrom(wallet, stranger) }),
  fc.record({ paymaster: fc.constantFrom(undefined, stranger, ofCircle.paymaster.address) }),
  fc.record({ paymasterData: fc.constantFrom('0x' as const, '0x00' as const, '0x1234' as const) }),
);

/** Nine times of ten the first value. */
const mostly = <Value>(value: Value, ...others: Value[]) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

/** Changes by a forger who controls the service: several at once, with every hash right. */
const forgery = (hooks: readonly ExecutorHook[]): fc.Arbitrary<PreparedParts> =>
  fc.record({
    hooks: fc.oneof(
      { weight: 1, arbitrary: fc.constant(hooks) },
      { weight: 2, arbitrary: changedHooks(hooks) },
    ),
    operation: changedOperation,
    deployment: mostly(
      local,
      { ...local, entryPoint: ofOtherEntryPoint.entryPoint },
      { ...local, validator: stranger },
    ),
    chainId: mostly(8453, 1, 10),
    expiry: mostly(now + 600, 0, now, now + 1, now + 900, now + 901, 2 ** 48 - 1),
    validAfter: mostly(0, now + 600, now + 599),
  });

// Of every operation, so that no single test takes long: 720 forgeries together.
const forgeries = { numRuns: 120, seed: 20_261_122 };

describe.each(operations)('a %s', (_, hooks, operation) => {
  const verify = (envelope: unknown) => verifyEnvelope(envelope, buildExpectations({ operation }), options);

  it('behavior: of forgeries with every hash made right only those pass that a second reading finds harmless', () => {
    const counts = { passed: 0, refused: 0 };
    fc.assert(
      fc.property(forgery(hooks), (parts) => {
        const envelope = buildPrepared(parts);
        const result = verify(envelope);
        expect(result.ok).toBe(isHarmless(envelope, operation));
        counts[result.ok ? 'passed' : 'refused'] += 1;
      }),
      forgeries,
    );
    // The generator reaches both sides.
    expect(counts.passed).toBeGreaterThan(5);
    expect(counts.refused).toBeGreaterThan(50);
  });
});
