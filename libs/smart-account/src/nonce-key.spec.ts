import { maxUint256, maxUint64, type Address } from 'viem';
import { nonceKeyVector } from '../test/vectors.js';
import { nonceKey, splitNonce } from './nonce-key.js';

it('nonceKey', () => {
  expect(nonceKey(nonceKeyVector.validator as Address).toString()).toBe(nonceKeyVector.key);
});

it('splitNonce', () => {
  const key = nonceKey(nonceKeyVector.validator as Address);
  expect(splitNonce((key << 64n) | 7n)).toEqual({ key, sequence: 7n });
  expect(splitNonce(maxUint64)).toEqual({ key: 0n, sequence: maxUint64 });
  expect(splitNonce(maxUint256)).toEqual({ key: 2n ** 192n - 1n, sequence: maxUint64 });
});
