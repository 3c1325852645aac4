import type { Address } from 'viem';
import { nonceKeyVector } from '../test/vectors.js';
import { nonceKey } from './nonce-key.js';

it('nonceKey', () => {
  expect(nonceKey(nonceKeyVector.validator as Address).toString()).toBe(nonceKeyVector.key);
});
