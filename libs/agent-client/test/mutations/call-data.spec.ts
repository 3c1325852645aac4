import type { Hex } from 'viem';
import { concat, numberToHex, size, slice } from 'viem';
import { verifyEnvelope, type ExpectedOperation } from '../../src/index.js';
import { addressBook } from '../support/book.js';
import { buildExpectations, buildPrepared, clock, operations, topUp } from '../support/build-prepared.js';
import { isHarmless } from '../support/is-harmless.js';

const wordBytes = 32;
const ones = (2n ** 256n - 1n).toString(16);

/** Sign-off of a forger's call data: every hash around it is right. */
function judge(callData: Hex, operation: ExpectedOperation) {
  const envelope = buildPrepared({ operation: { callData } });
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

/** Offsets of the minimums, which may be higher than expected. */
function minimumsIn(callData: Hex, operation: ExpectedOperation): number[] {
  const minimums = [
    ...('minShares' in operation ? [operation.minShares] : []),
    ...('minAssets' in operation ? [operation.minAssets] : []),
  ];
  return minimums.map((minimum) => {
    const place = callData.indexOf(numberToHex(minimum, { size: wordBytes }).slice(2));
    return (place - 2) / 2;
  });
}

// The others are parts of these.
const longest = operations.filter(([name]) =>
  ['redeem', 'deposit with a top-up', 'rebalance with a top-up'].includes(name),
);

describe.each(longest)('call data of a %s, every hash made right', (_, hooks, operation) => {
  const callData = buildPrepared({ hooks }).userOps[0]!.userOperation.callData;
  const minimums = minimumsIn(callData, operation);
  const isMinimum = (offset: number) =>
    minimums.some((start) => offset >= start && offset < start + wordBytes);
  const topUpStart = (callData.indexOf(numberToHex(topUp.amount, { size: wordBytes }).slice(2)) - 2) / 2;
  const isTopUp = (offset: number) =>
    topUpStart > 0 && offset >= topUpStart && offset < topUpStart + wordBytes;

  it('behavior: the original passes', () => {
    expect(judge(callData, operation)).toMatchObject({ result: { ok: true }, harmless: true });
    expect(minimums.every((place) => place > 0)).toBe(true);
  });

  it('behavior: no byte can be changed, but for a minimum that rises and an allowance that falls', () => {
    const passed: number[] = [];
    for (let offset = 0; offset < size(callData); offset += 1) {
      const before = Number(slice(callData, offset, offset + 1));
      const after = before ^ (offset % 2 === 0 ? 0x01 : 0x80);
      const { result, harmless } = judge(
        splice(callData, offset, numberToHex(after, { size: 1 })),
        operation,
      );
      expect([offset, after, result.ok]).toEqual([offset, after, harmless]);
      if (result.ok) passed.push(offset);
    }
    expect(passed.filter((offset) => !isMinimum(offset) && !isTopUp(offset))).toEqual([]);
    expect(passed.length).toBeGreaterThan(0);
  });

  it('behavior: no word can be changed, but for the same', () => {
    const starts = [4, ...minimums].flatMap((start) => {
      const first = start % wordBytes;
      const count = Math.floor((size(callData) - first) / wordBytes);
      return Array.from({ length: count }, (__, index) => first + index * wordBytes);
    });
    for (const start of new Set(starts)) {
      const word = BigInt(slice(callData, start, start + wordBytes));
      for (const changed of [0n, 1n, word + 1n, word - 1n, word ^ (1n << 255n), BigInt(`0x${ones}`)]) {
        const value = BigInt.asUintN(256, changed);
        if (value === word) continue;
        const { result, harmless } = judge(
          splice(callData, start, numberToHex(value, { size: wordBytes })),
          operation,
        );
        expect([start, value, result.ok]).toEqual([start, value, harmless]);
      }
    }
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
      expect(judge(other, operation).result).toMatchObject({ ok: false, reason: 'CALLDATA_NOT_ALLOWED' });
    }
  });
});
