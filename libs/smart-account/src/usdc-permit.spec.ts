import { AbiCoder, concat, keccak256, solidityPacked, toUtf8Bytes, TypedDataEncoder, Wallet } from 'ethers';
import { testAccount, testKey } from '@yield-vault/testing';
import { hashTypedData, maxUint256, type Hex } from 'viem';
import { MalformedSignatureError } from './errors.js';
import { decodePermitData, encodePermitData, usdcPermitTypedData, type PermitData } from './usdc-permit.js';

const permit = {
  chainId: 8453,
  usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  owner: testAccount('owner').address,
  spender: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
  value: 20_000_000n,
  nonce: 3n,
} as const;
const typedData = usdcPermitTypedData(permit);
const digest = '0x66f065db56737865e0655be34bc129344e65a5889c444982dba75c5e22eaf66a';
const data: PermitData = { token: permit.usdc, value: permit.value, signature: `0x${'5c'.repeat(65)}` };
const packed = encodePermitData(data);

describe('usdcPermitTypedData', () => {
  it('vector: its digest', () => {
    expect(hashTypedData(typedData)).toBe(digest);
  });

  it('behavior: ethers computes the same digest from the words of EIP-2612', () => {
    const id = (text: string) => keccak256(toUtf8Bytes(text));
    const encode = (types: string[], values: unknown[]) =>
      keccak256(AbiCoder.defaultAbiCoder().encode(types, values));
    const domain = encode(
      ['bytes32', 'bytes32', 'bytes32', 'uint256', 'address'],
      [
        id('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
        ...[id('USD Coin'), id('2'), permit.chainId, permit.usdc],
      ],
    );
    const struct = encode(
      ['bytes32', 'address', 'address', 'uint256', 'uint256', 'uint256'],
      [
        id('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)'),
        ...[permit.owner, permit.spender, permit.value, permit.nonce, maxUint256],
      ],
    );
    expect(keccak256(concat(['0x1901', domain, struct]))).toBe(digest);
    const { Permit } = typedData.types;
    expect(TypedDataEncoder.hash(typedData.domain, { Permit: [...Permit] }, typedData.message)).toBe(digest);
  });

  it('behavior: viem and ethers sign the same', async () => {
    const types = { Permit: [...typedData.types.Permit] };
    expect(await testAccount('owner').signTypedData(typedData)).toBe(
      await new Wallet(testKey('owner')).signTypedData(typedData.domain, types, typedData.message),
    );
  });
});

describe('paymaster data of a permit', () => {
  it('behavior: ethers packs the same, and decoding reverses it', () => {
    const { token, value, signature } = data;
    const types = ['uint8', 'address', 'uint256', 'bytes'];
    expect(packed).toBe(solidityPacked(types, [0, token, value, signature]));
    expect(decodePermitData(packed)).toEqual({ ...data, token: token.toLowerCase() });
  });

  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['the mode alone', '0x00'],
    ['another mode', `0x01${packed.slice(4)}`],
    ['one byte less', packed.slice(0, -2) as Hex],
    ['one byte more', `${packed}00`],
  ])('behavior: %s is no permit', (_, other) => {
    expect(decodePermitData(other)).toBeUndefined();
  });

  it('error: MalformedSignatureError for a compact signature', () => {
    expect(() => encodePermitData({ ...data, signature: `0x${'5c'.repeat(64)}` })).toThrow(
      MalformedSignatureError,
    );
  });
});
