import { testAccount } from '@yield-vault/testing';
import { concat, numberToHex, slice, type Hex } from 'viem';
import { describeFault, findAuthorizationFault, findPermitFault } from './setup-signatures.js';
import { usdcPermitTypedData, type UsdcPermit } from './usdc-permit.js';

const wallet = testAccount('signer');
const implementation = '0x00000000000000000000000000000000000000AA';
const expected = { wallet: wallet.address, implementation, chainId: 8453, nonce: 7 } as const;

const sign = async (changes: Partial<Record<'chainId' | 'nonce', number>> = {}) => {
  const document = { address: implementation, chainId: 8453, nonce: 7, ...changes } as const;
  const { r, s, yParity } = await wallet.signAuthorization(document);
  return { ...document, r, s, yParity: yParity! };
};

describe('findAuthorizationFault', () => {
  it('default', async () => {
    expect(await findAuthorizationFault(await sign(), expected)).toBeUndefined();
  });

  it('error: names the field that differs', async () => {
    const good = await sign();
    const find = (changes: Partial<typeof good>) => findAuthorizationFault({ ...good, ...changes }, expected);
    expect(await find({ nonce: 8 })).toEqual({ field: 'nonce', expected: '7', given: '8' });
    expect(await find({ chainId: 0 })).toMatchObject({ field: 'chainId' });
    expect(await find({ address: wallet.address as never })).toMatchObject({ field: 'address' });
    expect(await find({ yParity: 27 })).toMatchObject({ field: 'yParity' });
    expect(await find({ yParity: 1 - good.yParity })).toMatchObject({ field: 'signer' });
    expect(await find({ r: '0x', s: '0xzz' })).toEqual({
      field: 'signer',
      expected: wallet.address,
      given: 'none',
    });
  });
});

describe('findPermitFault', () => {
  const permit: UsdcPermit = {
    chainId: 8453,
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    owner: wallet.address,
    spender: implementation,
    value: 5n,
    nonce: 1n,
  };
  const signature = () => wallet.signTypedData(usdcPermitTypedData(permit));

  it('default', async () => {
    expect(await findPermitFault(await signature(), permit)).toBeUndefined();
  });

  it('error: names the part that is wrong', async () => {
    const good = await signature();
    const find = (given: Hex, changes: Partial<UsdcPermit> = {}) =>
      findPermitFault(given, { ...permit, ...changes });
    expect(await find(good, { nonce: 2n })).toMatchObject({ field: 'signer' });
    expect(await find(slice(good, 0, 64))).toMatchObject({ field: 'length', given: '64 bytes' });
    expect(await find('0x')).toMatchObject({ field: 'length' });
    expect(await find(concat([slice(good, 0, 64), numberToHex(1, { size: 1 })]))).toMatchObject({
      field: 'v',
    });
    expect(await find(`0x${'zz'.repeat(64)}1b`)).toMatchObject({ field: 'signer' });
  });
});

it('describeFault', () => {
  expect(describeFault('permit', { field: 'v', expected: '27 or 28', given: '1' })).toBe(
    'permit: v is 1, expected 27 or 28.',
  );
});
