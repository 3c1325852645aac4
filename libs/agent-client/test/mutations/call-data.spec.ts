import type { Hex } from 'viem';
import { concat, maxUint256, numberToHex, size, slice } from 'viem';
import { verifyEnvelope, type BookDeployment, type ExpectedOperation } from '../../src/index.js';
import { addressBook } from '../support/book.js';
import { buildExpectations, buildPrepared, clock, operations, topUp } from '../support/build-prepared.js';
import { isHarmless } from '../support/is-harmless.js';
import { flip } from '../support/mutate-json.js';

const wordBytes = 32;

/** Sign-off of a forger's call data: every hash around it is right. */
function judge(callData: Hex, operation: ExpectedOperation, deployment: BookDeployment) {
  const envelope = buildPrepared({ deployment, operation: { callData } });
  const result = verifyEnvelope(envelope, buildExpectations({ operation }), { addressBook, ...clock });
  return { result, harmless: isHarmless(envelope, operation) };
}

/** Replace bytes of call data, starting at an offset. */
function splice(callData: Hex, offset: number, bytes: Hex): Hex {
  const end = offset + size(bytes);
  return concat([
    offset === 0 ? '0x' : slice(callData, 0, offset),
    bytes,
    end === size(callData) ? '0x' : slice(callData, end),
  ]);
}

/** The offset of a number in call data, zero or less if it is not there. */
const offsetOf = (callData: Hex, number: bigint) =>
  (callData.indexOf(numberToHex(number, { size: wordBytes }).slice(2)) - 2) / 2;

// The others are parts of these.
const longest = operations.filter(([name]) =>
  ['deposit', 'redeem', 'deposit with a top-up', 'rebalance with a top-up'].includes(name),
);

describe.each(longest)('call data of a %s, every hash made right', (_, hooks, operation, deployment) => {
  const callData = buildPrepared({ hooks, deployment }).userOps[0]!.userOperation.callData;
  const minimums = (['minShares', 'minAssets'] as const).flatMap((name) =>
    name in operation ? [offsetOf(callData, (operation as Record<typeof name, bigint>)[name])] : [],
  );
  const mayChange = [...minimums, offsetOf(callData, topUp.amount)].filter((start) => start > 0);

  it('behavior: the original passes', () => {
    expect(judge(callData, operation, deployment)).toMatchObject({ result: { ok: true }, harmless: true });
  });

  it('behavior: no byte or word can be changed, but for a minimum that rises and an allowance that falls', () => {
    // Words at the offset of every argument and minimum.
    const starts = [4, ...minimums].flatMap((start) => {
      const first = start % wordBytes;
      const count = Math.floor((size(callData) - first) / wordBytes);
      return Array.from({ length: count }, (__, index) => first + index * wordBytes);
    });
    const words = [...new Set(starts)].flatMap((start) => {
      const word = BigInt(slice(callData, start, start + wordBytes));
      return [0n, 1n, word + 1n, word - 1n, word ^ (1n << 255n), maxUint256]
        .map((value) => BigInt.asUintN(256, value))
        .filter((value) => value !== word)
        .map((value) => splice(callData, start, numberToHex(value, { size: wordBytes })));
    });
    const passed: number[] = [];
    const passes = (changed: Hex) => {
      const { result, harmless } = judge(changed, operation, deployment);
      expect([changed, result.ok]).toEqual([changed, harmless]);
      return result.ok;
    };
    for (let offset = 0; offset < size(callData); offset += 1)
      if (passes(flip(callData, offset))) passed.push(offset);
    words.forEach(passes);
    const isAllowed = (offset: number) =>
      mayChange.some((start) => offset >= start && offset < start + wordBytes);
    expect(passed.filter((offset) => !isAllowed(offset))).toEqual([]);
    expect(passed.length).toBeGreaterThan(0);
  });

  it('behavior: nothing can be added, cut off or moved', () => {
    const length = size(callData);
    const changed: Hex[] = [
      ...[1, 4, 32, 64].map((count) => concat([callData, numberToHex(0, { size: count })])),
      concat([callData, callData]),
      ...[1, 4, 32, 64, 105].map((count) => slice(callData, 0, length - count)),
      concat([slice(callData, 4), slice(callData, 0, 4)]),
      slice(callData, 0, 4),
      '0x',
    ];
    for (const other of changed) {
      expect(judge(other, operation, deployment).result).toMatchObject({
        ok: false,
        reason: 'CALLDATA_NOT_ALLOWED',
      });
    }
  });
});
