import { id, solidityPacked } from 'ethers';
import fc from 'fast-check';
import { getAddress, maxUint256, type Hex } from 'viem';
import { grantVectors } from '../test/vectors.js';
import { decodeGasGrant, encodeGasGrant, type GasGrant } from './gas-grant.js';

const packedByEthers = ({ token, maximum }: GasGrant) =>
  solidityPacked(
    ['bytes4', 'address', 'uint96'],
    [id('GasGrant(address token,uint96 maximum)').slice(0, 10), token, maximum],
  );

describe('gas grant', () => {
  it.each(grantVectors)('default: $maximum of $token', ({ data, ...grant }) => {
    expect(encodeGasGrant(grant)).toBe(data);
    expect(packedByEthers(grant)).toBe(data);
    expect(decodeGasGrant(data)).toEqual(grant);
  });

  it('behavior: ethers packs every grant the same way, and decoding gives it back', () => {
    const token = fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes) => getAddress(`0x${Buffer.from(bytes).toString('hex')}`));
    const grants = fc.record({ token, maximum: fc.bigInt(0n, 2n ** 96n - 1n) });
    fc.assert(
      fc.property(grants, (grant) => {
        const data = encodeGasGrant(grant);
        expect(data).toBe(packedByEthers(grant));
        expect(decodeGasGrant(data)).toEqual(grant);
      }),
    );
  });

  const { data } = grantVectors[0]!;
  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['another mark', `0x00${data.slice(4)}`],
    ['a byte too many', `${data}00`],
    ['a byte too few', data.slice(0, -2) as Hex],
  ])('behavior: %s is no grant', (_, other) => {
    expect(decodeGasGrant(other)).toBeUndefined();
  });

  it('behavior: upper-case hex is the same grant', () => {
    const { data: _, ...grant } = grantVectors[0]!;
    expect(decodeGasGrant(`0x${data.slice(2).toUpperCase()}`)).toEqual(grant);
  });

  it.each([2n ** 96n, maxUint256, -1n])('error: a maximum of %s does not fit', (maximum) => {
    expect(() => encodeGasGrant({ ...grantVectors[0]!, maximum })).toThrow();
  });
});
