import { eip7702Marker, type Eip7702Auth, type UserOperation } from '@yield-vault/protocol';
import {
  delegationCode,
  encodePermitData,
  usdcPermitTypedData,
  type UsdcPermit,
} from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import { concat, numberToHex, size, slice, type Hex, type PrivateKeyAccount } from 'viem';
import {
  describeEnvelope,
  verifyEnvelope,
  type BookDeployment,
  type EnvelopeExpectations,
  type VerificationReason,
} from '../../src/index.js';
import { signGaslessSetup } from '../../src/sign/sign-gasless-setup.js';
import type { VerifiedGaslessSetup } from '../../src/verify/verify-gasless-setup.js';
import { addressBook, local, ofCircle, ofService, stranger, usdc, weth } from '../support/book.js';
import { buildExpectations, buildPrepared, clock, wallet } from '../support/build-prepared.js';
import { flip, mutateJson } from '../support/mutate-json.js';

const owner = testAccount('owner');
const authorized = { authorizationNonce: 7 };
const gaslessSetup = { ...authorized, permitNonce: 3n };
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const authorizationField = 'userOps.0.eip7702Auth';
const permitField = 'userOps.0.userOperation.paymasterAndData';

/** What the wallet, or a forger, signs. */
interface Signed {
  readonly deployment?: BookDeployment;
  readonly authorization?: Partial<Eip7702Auth>;
  readonly permit?: Partial<UsdcPermit>;
  readonly signer?: PrivateKeyAccount;
}

/** Sign the parts of an operation that set the wallet up. */
async function sign({ deployment = ofCircle, signer = owner, ...changes }: Signed = {}) {
  const { account: address, chainId, paymaster } = deployment;
  const authorization = { address, chainId, nonce: 7, ...changes.authorization };
  const { usdc: token, value, ...rest } = { usdc, value: 20_000_000n, ...changes.permit };
  const fields = { chainId, owner: wallet, spender: paymaster.address, nonce: 3n, ...rest };
  const isPermitted = paymaster.kind !== 'own';
  const permit = isPermitted ? usdcPermitTypedData({ ...fields, usdc: token, value }) : null;
  const signed = await signGaslessSetup(signer, { authorization, permit } as VerifiedGaslessSetup);
  const signature = signed.permitSignature;
  const data = signature && { paymasterData: encodePermitData({ token, value, signature }) };
  return { authorization: signed.authorization!, ...data };
}

/** Build an envelope of a gasless setup, every hash right. */
const build = async (
  { deployment = ofCircle, ...signed }: Signed = {},
  operation: Partial<UserOperation> = {},
) =>
  buildPrepared({
    deployment,
    operation: { factory: eip7702Marker, ...(await sign({ deployment, ...signed })), ...operation },
  });

const verify = (envelope: unknown, expectations: Partial<EnvelopeExpectations> = { gaslessSetup }) =>
  verifyEnvelope(envelope, buildExpectations(expectations), { addressBook, ...clock });

const refused = (reason: VerificationReason, field?: string) => ({
  ok: false,
  reason,
  ...(field && { field }),
});

/** The other signature of the same words by the same key. */
const twin = (s: Hex): Hex => numberToHex(curveOrder - BigInt(s), { size: 32 });

describe.each([
  { name: 'ours', deployment: local, nonces: authorized },
  { name: "Circle's", deployment: ofCircle, nonces: gaslessSetup },
])('a gasless setup with the paymaster $name', ({ deployment, nonces }) => {
  const verifyIt = (envelope: unknown) => verify(envelope, { gaslessSetup: nonces });
  const isPermitted = deployment === ofCircle;

  it('default: accepted, with its authorization and in words', async () => {
    const envelope = await build({ deployment });
    const result = verifyIt(envelope);
    expect(result).toMatchObject({ ok: true, envelope: { userOps: [{ eip7702Auth: { nonce: 7 } }] } });
    expect(result.ok && result.summary.slice(0, isPermitted ? 4 : 3)).toEqual([
      `delegate your wallet to ${deployment.account}`,
      `install the validator module ${deployment.validator}`,
      `install the executor module ${deployment.executor}`,
      ...(isPermitted
        ? [
            `permit paymaster ${deployment.paymaster.address} to take 20 USDC, valid until the nonce of the permit is spent`,
          ]
        : []),
    ]);
    expect(describeEnvelope(envelope, { addressBook })).toEqual(result);
  });

  it('behavior: of every change of the JSON none passes', async () => {
    const mutations = mutateJson(await build({ deployment }));
    const passed = mutations.filter(({ document }) => verifyIt(document).ok).map(({ path }) => path);
    expect(passed).toEqual([]);
    expect(mutations.filter(({ path }) => path.startsWith('userOps.0.eip7702Auth')).length).toBeGreaterThan(
      250,
    );
  });

  it('behavior: without an authorization where the wallet delegates already', async () => {
    const plain = { factory: undefined, authorization: undefined };
    const { permitNonce } = { permitNonce: undefined, ...nonces };
    const walletCode = delegationCode(deployment.account);
    const expectations = { walletCode, gaslessSetup: { permitNonce } };
    const result = verify(await build({ deployment }, plain), expectations);
    const permitted = isPermitted ? ['permit-paymaster'] : [];
    expect(result.ok && result.effects.map(({ effect }) => effect)).toEqual([
      ...permitted,
      ...['pay-gas', 'approve', 'deposit'],
    ]);
  });
});

describe('a forged gasless setup, every hash made right', () => {
  const other = testAccount('stranger');

  it('behavior: no byte of the permit can be changed', async () => {
    const { paymasterData: data = '0x' } = await sign();
    expect(size(data)).toBe(118);
    for (let offset = 0; offset < size(data); offset += 1) {
      const paymasterData = flip(data, offset);
      const result = verify(await build({}, { paymasterData }));
      expect([offset, result.ok]).toEqual([offset, false]);
    }
    for (const paymasterData of [concat([data, '0x00']), slice(data, 0, 117)]) {
      const result = verify(await build({}, { paymasterData }));
      expect(result).toMatchObject(refused('PAYMASTER_DATA_NOT_ALLOWED', permitField));
    }
  });

  it.each<[VerificationReason, keyof Eip7702Auth, string, Partial<Eip7702Auth>]>([
    ['IMPLEMENTATION_MISMATCH', 'address', 'another account', { address: stranger }],
    ['CHAIN_MISMATCH', 'chainId', 'another chain', { chainId: 1 }],
    ['MALFORMED', 'chainId', 'every chain', { chainId: 0 }],
    ['NONCE_MISMATCH', 'nonce', 'another nonce', { nonce: 8 }],
  ])('error: %s of an authorization, %s: %s', async (reason, field, _, authorization) => {
    const expected = refused(reason, `${authorizationField}.${field}`);
    expect(verify(await build({ authorization }))).toMatchObject(expected);
  });

  it('error: SIGNATURE_MISMATCH of an authorization of another wallet, and of a malleable one', async () => {
    const expected = refused('SIGNATURE_MISMATCH', authorizationField);
    const { s, yParity, ...rest } = (await sign()).authorization;
    const malleable = { ...rest, s: twin(s), yParity: 1 - yParity };
    for (const { authorization } of [await sign({ signer: other }), { authorization: malleable }])
      expect(verify(await build({}, { authorization }))).toMatchObject(expected);
  });

  it.each<[VerificationReason, string, Signed]>([
    ['ASSET_MISMATCH', 'another token', { permit: { usdc: weth } }],
    ['ALLOWANCE_TOO_HIGH', 'more than the cap', { permit: { value: local.allowanceCap + 1n } }],
    ['SIGNATURE_MISMATCH', 'another spender', { permit: { spender: stranger } }],
  ])('error: %s of a permit: %s', async (reason, _, signed) => {
    expect(verify(await build(signed))).toMatchObject(refused(reason, permitField));
  });

  it('error: SIGNATURE_MISMATCH of a permit of another wallet, of a malleable one, and of another v', async () => {
    const { paymasterData: data = '0x' } = await sign();
    const [head, s, v] = [slice(data, 0, 85), slice(data, 85, 117), slice(data, 117)];
    const [otherV, parity] = v === '0x1b' ? (['0x1c', '0x00'] as const) : (['0x1b', '0x01'] as const);
    for (const paymasterData of [
      (await sign({ signer: other })).paymasterData,
      concat([head, twin(s), otherV]),
      concat([head, s, otherV]),
      concat([head, s, parity]),
    ]) {
      const envelope = await build({}, { paymasterData });
      expect(verify(envelope)).toMatchObject(refused('SIGNATURE_MISMATCH', permitField));
    }
  });

  it.each<[VerificationReason, string, Partial<EnvelopeExpectations>]>([
    ['UNSUPPORTED_ENVELOPE', 'no gasless setup', {}],
    ['UNSUPPORTED_ENVELOPE', 'a permit alone', { gaslessSetup: { permitNonce: 3n } }],
    ['NONCE_MISMATCH', 'another authorization', { gaslessSetup: { ...gaslessSetup, authorizationNonce: 6 } }],
    ['SIGNATURE_MISMATCH', 'another permit', { gaslessSetup: { ...gaslessSetup, permitNonce: 4n } }],
    ['ALLOWANCE_TOO_HIGH', 'a smaller permit', { gaslessSetup, maxAllowanceUsdc: 19_999_999n }],
  ])('error: %s where the agent expects %s', async (reason, _, expectations) => {
    expect(verify(await build(), expectations)).toMatchObject(refused(reason));
  });

  it('error: an envelope without what the agent expects', async () => {
    expect(verify(buildPrepared())).toMatchObject(refused('UNSUPPORTED_ENVELOPE', authorizationField));
    const withoutPermit = await build({}, { paymasterData: '0x' });
    expect(verify(withoutPermit)).toMatchObject(refused('PAYMASTER_DATA_NOT_ALLOWED', permitField));
    const { paymasterData } = await sign();
    const unexpected = buildPrepared({ deployment: ofCircle, operation: { paymasterData } });
    expect(verify(unexpected, {})).toMatchObject(refused('PAYMASTER_DATA_NOT_ALLOWED', permitField));
    // Nobody but the service can read its paymaster's data.
    const ofOther = await build({ deployment: ofService });
    expect(verify(ofOther)).toMatchObject(refused('PAYMASTER_DATA_NOT_ALLOWED', permitField));
    // Our paymaster takes no permit.
    const ofOurs = await build({ deployment: local }, { paymasterData });
    expect(verify(ofOurs)).toMatchObject(refused('PAYMASTER_DATA_NOT_ALLOWED', permitField));
  });
});
