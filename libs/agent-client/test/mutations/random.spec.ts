import type { UserOperation } from '@yield-vault/protocol';
import { encodeGasGrant, nonceKey, type ExecutorHook } from '@yield-vault/smart-account';
import fc from 'fast-check';
import { concat, numberToHex, slice, type Address, type Hex } from 'viem';
import { extendAddressBook, localAddressBook, verifyEnvelope, type BookDeployment } from '../../src/index.js';
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

// The judge knows two paymasters.
const addressBook = extendAddressBook(localAddressBook, { deployments: [ofOtherEntryPoint, ofCircle] });
const options = { addressBook, ...clock };
const near = (value: bigint) => fc.constantFrom(value, value - 1n, value + 1n, 1n, value * 2n);
const circle = ofCircle.paymaster.address;
const addresses = fc.constantFrom(vault, otherVault, stranger, usdc, weth, local.executor, circle);

/** Change one number or address of one hook. */
const changedHook = (hook: ExecutorHook): fc.Arbitrary<ExecutorHook> => {
  const numbers = Object.entries(hook).filter(([, value]) => typeof value === 'bigint') as [string, bigint][];
  const places = [hook.hook === 'approve' ? 'spender' : 'vault', 'token'];
  const keeping = hook.hook === 'deposit' ? [fc.constant({ ...hook, keepOne: true as const })] : [];
  return fc.oneof(
    ...keeping,
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

/** Nine times of ten the first value. */
const mostly = <Value>(value: Value, ...others: Value[]) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

/** Grants of much and of little, grants that are none, and other data. */
function changedData(): fc.Arbitrary<Hex> {
  // The gas of an unchanged operation costs at most 975,002.
  const maximum = fc.oneof(
    fc.constantFrom(0n, 1n, 975_001n, 975_002n, 975_003n, 20_000_001n, 2n ** 96n - 1n),
    fc.bigInt(0n, 2_000_000n),
  );
  const grant = fc.record({ token: mostly<Address>(usdc, weth, stranger), maximum }).map(encodeGasGrant);
  const broken = fc.tuple(grant, fc.nat(35), fc.nat(7)).map(([data, byte, bit]) => flipBit(data, byte, bit));
  return fc.oneof(
    { weight: 6, arbitrary: grant },
    { weight: 2, arbitrary: broken },
    { weight: 1, arbitrary: grant.map((data): Hex => `0x${data.slice(2).toUpperCase()}`) },
    { weight: 1, arbitrary: grant.map((data) => concat([data, '0x00'])) },
    { weight: 1, arbitrary: grant.map((data) => slice(data, 0, 35)) },
    { weight: 2, arbitrary: fc.constantFrom<Hex>('0x', '0x00', '0x1234') },
  );
}

const flipBit = (data: Hex, byte: number, bit: number): Hex => {
  const changed = Number(slice(data, byte, byte + 1)) ^ (1 << bit);
  return concat([
    byte === 0 ? '0x' : slice(data, 0, byte),
    numberToHex(changed, { size: 1 }),
    byte === 35 ? '0x' : slice(data, byte + 1),
  ]);
};

const validatorKey = nonceKey(local.validator);
const changedOperation: fc.Arbitrary<Partial<UserOperation>> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  fc.record({ nonce: fc.constantFrom(1n, validatorKey << 64n, (validatorKey + 1n) << 64n, validatorKey) }),
  fc.record({ sender: fc.constantFrom(wallet, stranger) }),
  {
    weight: 5,
    arbitrary: fc.record(
      {
        paymaster: fc.constantFrom(undefined, stranger, circle, local.paymaster.address),
        paymasterData: changedData(),
        maxFeePerGas: fc.constantFrom(0n, 1n, 1_000_000n, 250_000_000n, 1_000_000_000n),
      },
      { requiredKeys: [] },
    ),
  },
);

/** Changes by a forger who controls the service: several at once, with every hash right. */
const forgery = (hooks: readonly ExecutorHook[], deployment: BookDeployment): fc.Arbitrary<PreparedParts> =>
  fc.record({
    hooks: fc.oneof(
      { weight: 1, arbitrary: fc.constant(hooks) },
      { weight: 2, arbitrary: changedHooks(hooks) },
    ),
    operation: changedOperation,
    deployment: mostly(
      deployment,
      { ...deployment, entryPoint: ofOtherEntryPoint.entryPoint },
      { ...deployment, validator: stranger },
    ),
    chainId: mostly(8453, 1, 10),
    expiry: mostly(now + 600, 0, now, now + 1, now + 900, now + 901, 2 ** 48 - 1),
    validAfter: mostly(0, now + 600, now + 599),
  });

// Of every operation, so that no single test takes long: 720 forgeries together.
const forgeries = { numRuns: 120, seed: 20_261_122 };

describe.each(operations)('a %s', (_, hooks, operation, deployment) => {
  const verify = (envelope: unknown) => verifyEnvelope(envelope, buildExpectations({ operation }), options);

  it('behavior: of forgeries with every hash made right only those pass that a second reading finds harmless', () => {
    const counts = { passed: 0, refused: 0 };
    fc.assert(
      fc.property(forgery(hooks, deployment), (parts) => {
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
