import { intentDigest } from '@yield-vault/protocol';
import { Signature, solidityPacked } from 'ethers';
import { recoverAddress, size, type Hex } from 'viem';
import { signatures } from '../test/vectors.js';
import { MalformedSignatureError } from './errors.js';
import { decodeIntentSignature, encodeIntentSignature, stubIntentSignature } from './intent-signature.js';

const vectors = signatures.map(({ packed, ...parts }) => ({
  packed: packed as Hex,
  parts: { ...parts, signature: parts.signature as Hex, proof: parts.proof as Hex[] },
}));
const { parts } = vectors[0]!;

describe('intent signature', () => {
  it.each(vectors)('default: $parts.expiry', ({ packed, parts }) => {
    expect(encodeIntentSignature(parts)).toBe(packed);
    expect(decodeIntentSignature(packed)).toEqual(parts);
    const types = ['uint48', 'uint48', 'bytes', ...parts.proof.map(() => 'bytes32')];
    expect(solidityPacked(types, [parts.expiry, parts.validAfter, parts.signature, ...parts.proof])).toBe(
      packed,
    );
  });

  it.each([
    ['a short signature', { ...parts, signature: '0x1234' as Hex }],
    ['a proof item of 33 bytes', { ...parts, proof: [`0x${'aa'.repeat(33)}` as Hex] }],
    ['an expiry beyond 48 bits', { ...parts, expiry: 2 ** 48 }],
    ['a negative time', { ...parts, validAfter: -1 }],
    ['a fraction of a second', { ...parts, validAfter: 0.5 }],
  ])('error: MalformedSignatureError when encoding %s', (_, malformed) => {
    expect(() => encodeIntentSignature(malformed)).toThrow(MalformedSignatureError);
  });

  it.each([0, 76, 78, 108, 110])('error: MalformedSignatureError when decoding %d bytes', (length) => {
    expect(() => decodeIntentSignature(`0x${'00'.repeat(length)}`)).toThrow(MalformedSignatureError);
  });

  it('behavior: the stub is well formed and recovers to an address without a known key', async () => {
    const stub = stubIntentSignature(1_790_000_600, 0);
    expect(size(stub)).toBe(77);
    const { signature, expiry, validAfter } = decodeIntentSignature(stub);
    expect(Signature.from(signature).s).toBe(`0x${'33'.repeat(32)}`);
    const hash = intentDigest({
      merkleRoot: `0x${'00'.repeat(32)}`,
      chainId: 8453,
      expiry,
      validAfter,
      validator: '0x00000000000000000000000000000000000000a1',
    });
    await expect(recoverAddress({ hash, signature })).resolves.toMatch(/^0x/);
  });
});
