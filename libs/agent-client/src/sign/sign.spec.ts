import { intentDigest, intentSigning } from '@yield-vault/protocol';
import { testKey } from '@yield-vault/testing';
import { Wallet } from 'ethers';
import {
  createWalletClient,
  concat,
  http,
  numberToHex,
  parseSignature,
  parseTransaction,
  recoverAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
  slice,
  type Address,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { recoverAuthorizationAddress } from 'viem/utils';
import { usdcPermitTypedData } from '@yield-vault/smart-account';
import vectors from '../../test/vectors/signatures.json' with { type: 'json' };
import type { VerifiedEnvelope } from '../verify/verify-envelope.js';
import type { VerifiedGaslessSetup } from '../verify/verify-gasless-setup.js';
import type { VerifiedSetup } from '../verify/verify-setup.js';
import { signGaslessSetup } from './sign-gasless-setup.js';
import { signIntent } from './sign-intent.js';
import { signSetup } from './sign-setup.js';
import { accountOf, addressOf, UnsupportedSignerError, type AgentSigner, type HashSigner } from './signer.js';

const key = testKey('agent');
const account = privateKeyToAccount(key);
const url = 'http://127.0.0.1:1';
// As key services sign: 0 or 1 at the end, and any of the two values of s.
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hashSigner: HashSigner = {
  address: account.address,
  async sign({ hash }) {
    const { r, s, yParity } = parseSignature(await account.sign({ hash }));
    const twin = numberToHex(curveOrder - BigInt(s), { size: 32 });
    return concat([r, twin, numberToHex(1 - yParity, { size: 1 })]);
  },
};
const signers: readonly (readonly [string, AgentSigner])[] = [
  ['an account of viem', account],
  ['a wallet client of viem', createWalletClient({ account, chain: base, transport: http(url) })],
  ['a wallet of ethers', new Wallet(key)],
  ['an account that signs hashes', hashSigner],
  ['a wallet client around it', { account: hashSigner }],
];
const validator: Address = '0x06810413076729dcf73bBCd17E36EFd7E92FD7d6';
const message = {
  merkleRoot: `0x${'5c'.repeat(32)}`,
  chainId: 8453,
  expiry: 1_767_225_600,
  validAfter: 0,
} as const;
const verified = {
  signing: intentSigning({ ...message, validator }),
} as Partial<VerifiedEnvelope> as VerifiedEnvelope;
const setupOf = (setupType: 'full' | 'modules') =>
  ({
    transaction: {
      chainId: 8453,
      to: account.address,
      data: '0x12345678',
      gasLimit: 350_000n,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
      authorization: setupType === 'full' ? { contractAddress: validator, chainId: 8453 } : null,
    },
  }) as Partial<VerifiedSetup> as VerifiedSetup;

const permit = usdcPermitTypedData({
  ...{ chainId: 8453, usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', owner: account.address },
  ...{ spender: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec', value: 20_000_000n, nonce: 3n },
});
const gasless = {
  authorization: { address: validator, chainId: 8453, nonce: 7 },
  permit,
} as Partial<VerifiedGaslessSetup> as VerifiedGaslessSetup;

describe.each(signers)('%s', (_, signer) => {
  it('default: addressOf and signIntent', async () => {
    expect(await addressOf(signer)).toBe(account.address);
    const signature = await signIntent(signer, verified);
    expect(signature).toBe(vectors.intent);
    const hash = intentDigest({ ...message, validator });
    expect(await recoverAddress({ hash, signature })).toBe(account.address);
  });

  it('default: signSetup in full is a type-4 transaction to itself, its authorization one nonce ahead', async () => {
    const raw = await signSetup(signer, setupOf('full'), 7);
    expect(raw).toBe(vectors.full);
    const parsed = parseTransaction(raw as `0x04${string}`);
    expect(parsed).toMatchObject({ type: 'eip7702', nonce: 7, gas: 350_000n, data: '0x12345678' });
    expect(parsed.to).toBe(account.address.toLowerCase());
    const [authorization] = parsed.authorizationList!;
    expect(authorization).toMatchObject({ chainId: 8453, nonce: 8 });
    expect(await recoverAuthorizationAddress({ authorization: authorization! })).toBe(account.address);
    expect(await recoverTransactionAddress({ serializedTransaction: raw as `0x04${string}` })).toBe(
      account.address,
    );
  });

  it('default: signGaslessSetup, with the authorization at its own nonce', async () => {
    const signed = await signGaslessSetup(signer, gasless);
    expect(signed).toEqual(vectors.gasless);
    const { permitSignature, authorization } = signed;
    expect(await recoverAuthorizationAddress({ authorization: authorization! })).toBe(account.address);
    const recovered = await recoverTypedDataAddress({ ...permit, signature: permitSignature! });
    expect(recovered).toBe(account.address);
  });

  it('default: signGaslessSetup of the permit or the authorization alone', async () => {
    const { permitSignature, authorization } = vectors.gasless;
    expect(await signGaslessSetup(signer, { ...gasless, authorization: null })).toEqual({ permitSignature });
    expect(await signGaslessSetup(signer, { ...gasless, permit: null })).toEqual({ authorization });
  });

  it('default: signSetup of the modules alone is a type-2 transaction', async () => {
    const raw = await signSetup(signer, setupOf('modules'), 0);
    expect(raw).toBe(vectors.modules);
    expect(parseTransaction(raw)).toMatchObject({ type: 'eip1559', maxFeePerGas: 2_000_000_000n });
  });
});

it('error: an account that cannot sign a document, by name of the method', async () => {
  const limited = { ...account, sign: undefined, signAuthorization: undefined };
  const missing = expect.objectContaining({ code: 'UNSUPPORTED_SIGNER', method: 'signAuthorization' });
  await expect(signSetup(limited, setupOf('full'), 0)).rejects.toEqual(missing);
  await expect(signSetup(limited, setupOf('modules'), 0)).resolves.toBe(vectors.modules);
  await expect(signGaslessSetup(limited, gasless)).rejects.toEqual(missing);
  const { address } = account;
  await expect(addressOf({ account: { address, type: 'json-rpc' } as never })).rejects.toThrow(
    UnsupportedSignerError,
  );
});

it('default: a message, signed as a hash', async () => {
  const { signMessage } = await accountOf(hashSigner);
  expect(await signMessage({ message: 'hello' })).toBe(await new Wallet(key).signMessage('hello'));
});

it.each([37, 38, 2])('error: a hash signed with a v of %i', async (v) => {
  const sign = async (parameters: { hash: Hex }) =>
    concat([slice(await account.sign(parameters), 0, 64), numberToHex(v)]);
  const { signMessage } = await accountOf({ address: account.address, sign });
  await expect(signMessage({ message: 'hello' })).rejects.toThrow('a v of 0, 1, 27 or 28');
});

it('behavior: an account of viem that writes v in place of yParity', async () => {
  const signAuthorization: typeof account.signAuthorization = async (parameters) => {
    const { yParity, ...signed } = await account.signAuthorization(parameters);
    return { ...signed, v: BigInt(27 + yParity!) } as Awaited<ReturnType<typeof account.signAuthorization>>;
  };
  expect(await signGaslessSetup({ ...account, signAuthorization }, gasless)).toEqual(vectors.gasless);
});
