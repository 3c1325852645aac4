import { authorizationTypes } from '@x402/evm';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { parseSignature, serializeSignature, toHex, type Hex } from 'viem';
import { buildChain } from '../test/support/build-chain.js';
import { buildPayment } from '../test/support/build-payment.js';
import { isSignedByKey, limitChecks } from './check-signature.js';
import type { Payment } from './types.js';

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const { asset, chainId } = buildChain();

const sign = (
  { authorization }: Payment,
  signer = 'payer',
  domain: { name?: string; chainId?: number } = {},
) =>
  testAccount(signer).signTypedData({
    domain: {
      name: asset.name,
      version: asset.version,
      chainId,
      verifyingContract: asset.address,
      ...domain,
    },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });

const compact = (signature: Hex): Hex => {
  const { r, s, yParity } = parseSignature(signature);
  const half = (BigInt(yParity) << 255n) | BigInt(s);
  return `${r}${toHex(half, { size: 32 }).slice(2)}`;
};

const twin = (signature: Hex): Hex => {
  const { r, s, yParity } = parseSignature(signature);
  const upper = toHex(curveOrder - BigInt(s), { size: 32 });
  return serializeSignature({ r, s: upper, yParity: yParity ? 0 : 1 });
};

const withV = (signature: Hex, v: string): Hex => `${signature.slice(0, -2) as Hex}${v}`;

describe('isSignedByKey', () => {
  it('default: the key of the payer', async () => {
    for (let count = 0; count < 8; count++) expect(await isSignedByKey(await buildPayment())).toBe(true);
  });

  it.each<[string, (payment: Payment) => Hex | Promise<Hex>]>([
    ['another key', (payment) => sign(payment, 'stranger')],
    ['another name of the token', (payment) => sign(payment, 'payer', { name: 'USDC' })],
    ['another chain', (payment) => sign(payment, 'payer', { chainId: 1 })],
    ['zeros', () => `0x${'00'.repeat(64)}1b`],
    ['an r that is on no curve', () => `0x${'ff'.repeat(32)}${'11'.repeat(32)}1b`],
    ['the compact form', ({ signature }) => compact(signature)],
    ['the twin with the higher s', ({ signature }) => twin(signature)],
    ['v as a parity', ({ signature }) => withV(signature, parseSignature(signature).yParity ? '01' : '00')],
    ['the other v', ({ signature }) => withV(signature, signature.endsWith('1b') ? '1c' : '1b')],
    ['more bytes', ({ signature }) => `${signature}1b`],
    ['many bytes', () => `0x${'1b'.repeat(3_000)}`],
    ['an ERC-6492 wrapper', ({ signature }) => `${signature}${'6492'.repeat(16)}`],
  ])('behavior: not %s', async (_, forge) => {
    const payment = await buildPayment();
    const signature = await forge(payment);
    expect(await isSignedByKey({ ...payment, signature })).toBe(false);
  });

  it.each([
    { from: testAccount('stranger').address },
    { to: testAccount('stranger').address },
    { value: 1n },
    { validAfter: 1n },
    { validBefore: 1n },
    { nonce: `0x${'01'.repeat(32)}` as const },
  ])('behavior: not with %p', async (parts) => {
    const payment = await buildPayment();
    const authorization = { ...payment.authorization, ...parts };
    expect(await isSignedByKey({ ...payment, authorization })).toBe(false);
  });
});

describe('limitChecks', () => {
  const forever = () => new Promise<never>(() => undefined);
  const now = () => Promise.resolve(true);

  it('behavior: a holder at its limit leaves room for others', async () => {
    const limited = limitChecks(3, 2);
    void limited(['payer', 'client'], forever);
    void limited(['other payer', 'client'], forever);
    await expect(limited(['third payer', 'client'], now)).rejects.toBeInstanceOf(UpstreamUnavailableError);
    expect(await limited(['payer', 'other client'], now)).toBe(true);
    void limited(['payer', 'other client'], forever);
    await expect(limited(['new payer', 'new client'], now)).rejects.toBeInstanceOf(UpstreamUnavailableError);
  });

  it('behavior: work that ends, also in an error, leaves its room', async () => {
    const limited = limitChecks(1, 1);
    await expect(limited(['payer', 'client'], () => Promise.reject(new Error('down')))).rejects.toThrow();
    expect(await limited(['payer', 'client'], now)).toBe(true);
    expect(await limited(['payer', 'client'], now)).toBe(true);
  });
});
