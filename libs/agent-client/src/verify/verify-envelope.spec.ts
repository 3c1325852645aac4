import { intentSigning, type PreparedIntentEnvelope } from '@yield-vault/protocol';
import { delegationCode, encodeGasGrant, nonceKey } from '@yield-vault/smart-account';
import { concat, keccak256, slice, type Hex } from 'viem';
import {
  addressBook,
  local,
  localOn,
  ofCircle,
  ofService,
  ofOtherEntryPoint,
  otherVault,
  stranger,
  usdc,
  vault,
  weth,
} from '../../test/support/book.js';
import {
  buildExpectations,
  buildPrepared,
  clock,
  deposit,
  expectedDeposit,
  expectedRebalance,
  expectedRedeem,
  now,
  redeem,
  topUp,
  wallet,
  depositPrevious,
  redeemAll,
  type PreparedParts,
} from '../../test/support/build-prepared.js';
import { putAt } from '../../test/support/mutate-json.js';
import { InvalidExpectationsError, type EnvelopeExpectations } from './expectations.js';
import type { VerificationReason } from './result.js';
import { describeEnvelope, verifyEnvelope } from './verify-envelope.js';

const options = { addressBook, ...clock };
const grantOf = (maximum: bigint) => encodeGasGrant({ token: usdc, maximum });

function verify(envelope: unknown, expectations: Partial<EnvelopeExpectations> = {}) {
  return verifyEnvelope(envelope, buildExpectations(expectations), options);
}

function reasonOf(envelope: unknown, expectations: Partial<EnvelopeExpectations> = {}): string | undefined {
  const result = verify(envelope, expectations);
  return result.ok ? undefined : result.reason;
}

describe('verifyEnvelope', () => {
  it('default: returns the recomputed values and the effects', () => {
    const envelope = buildPrepared({ operation: { paymasterData: grantOf(900_000n) } });
    const result = verify(envelope);
    expect(result).toMatchObject({ ok: true, envelope, deployment: local, nonceSequence: 7n });
    expect(result.ok && result.envelope).not.toBe(envelope);
    const paymaster = local.paymaster.address;
    expect(result.ok && result.effects).toEqual([
      {
        effect: 'pay-gas',
        token: usdc,
        paymaster,
        // 630,000 in the limits, 15,500 of the paymaster and a tenth of its postOp limit, at 0.25 gwei.
        maxWei: 161_425_000_000_000n,
        maxUsdc: 900_000n,
        maxEthUsd: 5_000,
        boundBy: 'grant',
        until: now + 600,
      },
      { effect: 'approve', token: usdc, spender: vault, amount: 25_000_000n },
      {
        effect: 'deposit',
        vault,
        token: usdc,
        amount: 25_000_000n,
        minShares: deposit.minShares,
        receiver: wallet,
      },
    ]);
    expect(result.ok && result.summary[0]).toBe(
      `pay at most 0.9 USDC for gas to paymaster ${paymaster}, until 2027-01-15 08:10:00 UTC`,
    );
  });

  it("behavior: Circle's paymaster is paid from an allowance, within its terms", () => {
    const result = verify(buildPrepared({ deployment: ofCircle, hooks: [deposit, topUp] }));
    const { address: spender } = ofCircle.paymaster;
    // At 5,000 USD for an ether and 10 % on top, and what rounding adds.
    const gas = { effect: 'pay-gas', paymaster: spender, maxUsdc: 920_564n, boundBy: 'terms' };
    const approval = { effect: 'approve-paymaster', token: usdc, spender, amount: 100_000_000n };
    expect(result).toMatchObject({ ok: true, effects: [gas, {}, {}, approval] });
    expect(result.ok && result.summary.at(-1)).toBe(`set the allowance of paymaster ${spender} to 100 USDC`);
  });

  it.each([
    ['another entry point', ofOtherEntryPoint, undefined],
    ["Circle's paymaster", ofCircle, '0x'],
    ["Circle's paymaster, told its mode", ofCircle, '0x00'],
    ['the paymaster of a service', ofService, '0x1234'],
  ] as const)('behavior: %s', (_, deployment, paymasterData) => {
    const walletCode = delegationCode(deployment.account);
    const operation = paymasterData && { paymasterData };
    const result = verify(buildPrepared({ deployment, operation }), { walletCode });
    expect(result).toMatchObject({ ok: true, deployment });
  });

  it.each<[string, Partial<EnvelopeExpectations>, PreparedParts]>([
    ['a chain by its id', { chain: 8453 }, {}],
    ['the sequence of the nonce', { nonceSequence: 7n }, {}],
    ['a window that opens later', {}, { validAfter: now + 60 }],
    [
      'an asset that is named',
      { operation: { ...expectedDeposit, asset: weth } as never },
      { hooks: [{ ...deposit, token: weth }] },
    ],
    ['a deposit of USDC that keeps one unit allowed', {}, { hooks: [{ ...deposit, keepOne: true }] }],
    ['better minimums', {}, { hooks: [{ ...deposit, minShares: deposit.minShares + 1n }] }],
    [
      'no more shares than allowed',
      { operation: { ...expectedRedeem, shares: { atMost: redeem.shares + 1n } } as never },
      { hooks: [redeem] },
    ],
    [
      'one of several targets',
      { operation: { ...expectedRebalance, to: [stranger, otherVault] } as never },
      { hooks: [redeemAll, depositPrevious] },
    ],
  ])('behavior: accepts %s', (_, expectations, parts) => {
    expect(reasonOf(buildPrepared(parts), expectations)).toBeUndefined();
  });

  it('error: MALFORMED without the control characters of the envelope', () => {
    const name = `\u001b[2J\u001b[HOK\n\u202e${'x'.repeat(500)}`;
    const result = verify({ ...buildPrepared(), [name]: 1 });
    expect(result).toMatchObject({ ok: false, reason: 'MALFORMED' });
    const { field, detail } = result as { field: string; detail: string };
    expect(field).toMatch(/^\\u001b\[2J\\u001b\[HOK\\u000a\\u202e[x.]{1,100}$/);
    expect(detail).toMatch(/^[\x20-\x7e]{1,200}$/);
  });

  it('behavior: returns the checked values, also when the object changes later', () => {
    const honest = buildPrepared();
    const forged = buildPrepared({ hooks: [{ ...deposit, vault: stranger }] });
    let reads = 0;
    const item = honest.userOps[0]!;
    const restless = {
      ...honest,
      userOps: [
        {
          get userOperation() {
            reads += 1;
            return (reads === 1 ? item : forged.userOps[0]!).userOperation;
          },
        },
      ],
    };
    const result = verify(restless);
    expect(result).toEqual(verify(honest));
    expect(result.ok && verify(result.envelope)).toEqual(result);
  });

  it('behavior: trusts only the shipped book by default', () => {
    expect(verifyEnvelope(buildPrepared(), buildExpectations(), clock)).toMatchObject({
      ok: false,
      reason: 'PAYMASTER_MISMATCH',
    });
  });

  it('error: InvalidExpectationsError instead of a guess', () => {
    const operation = expectedDeposit as unknown as Record<string, unknown>;
    const { minShares: _, ...withoutMinimum } = operation;
    for (const wrong of [
      { operation: withoutMinimum },
      { operation: { ...operation, minShares: 0n } },
      { operation: { ...operation, amount: 25 } },
      { operation: { ...operation, amount: '25.0' } },
      { operation: { ...operation, vault: '0x3000' } },
      { operation: { ...operation, receiver: stranger } },
      { maxGasUsdc: -1n },
      { maxEthUsd: Number.NaN },
      { wallet: wallet.replace('a', 'A') },
      { typo: 1 },
    ]) {
      expect(() => verify(buildPrepared(), wrong as never)).toThrow(InvalidExpectationsError);
    }
  });

  it('error: EXPIRED by a clock that has stopped', () => {
    const stopped = { addressBook, now: () => Number.NaN };
    expect(verifyEnvelope(buildPrepared(), buildExpectations(), stopped)).toMatchObject({
      reason: 'EXPIRED',
    });
  });
});

describe('a consistent envelope of an attacker who controls the server', () => {
  const asRedeem = { operation: expectedRedeem };
  const atMostNine = { operation: { ...expectedRedeem, shares: { atMost: 9n } } as never };
  const ownTopUp = { ...topUp, spender: local.paymaster.address };
  const depositing = (changes: object) => ({ hooks: [{ ...deposit, ...changes }] });

  // test/mutations/call-data.spec.ts changes every byte and word of the hooks, and gas-limits.spec.ts every gas field.
  it.each<[VerificationReason, string, PreparedParts, Partial<EnvelopeExpectations>?]>([
    ['UNKNOWN_CHAIN', 'a chain outside the book', { chainId: 11 }],
    ['UNKNOWN_CHAIN', 'a chain asked for outside the book', {}, { chain: 'moon' }],
    ['CHAIN_MISMATCH', 'another chain', { deployment: localOn(1) }],
    ['WALLET_MISMATCH', 'another wallet', { operation: { sender: stranger } }],
    ['ENTRY_POINT_MISMATCH', 'another entry point', { deployment: { ...local, entryPoint: stranger } }],
    ['VALIDATOR_MISMATCH', 'another validator', { deployment: { ...local, validator: stranger } }],
    ['PAYMASTER_MISMATCH', 'no paymaster: gas in ether', { operation: { paymaster: undefined } }],
    [
      'PAYMASTER_MISMATCH',
      'the paymaster of another deployment',
      { operation: { paymaster: ofOtherEntryPoint.paymaster.address } },
    ],
    [
      'PAYMASTER_DATA_NOT_ALLOWED',
      "something else than a permit for Circle's",
      { deployment: ofCircle, operation: { paymasterData: '0x0001' } },
    ],
    [
      'NONCE_KEY_MISMATCH',
      'a key beside the one',
      { operation: { nonce: (nonceKey(local.validator) + 1n) << 64n } },
    ],
    ['NONCE_MISMATCH', 'another sequence', {}, { nonceSequence: 6n }],
    ['INVALID_WINDOW', 'no expiry', { expiry: 0 }],
    ['EXPIRED', 'an expiry that is due', { expiry: now }],
    ['EXPIRY_TOO_FAR', 'an expiry past the usual', { expiry: now + 901 }],
    ['EXPIRY_TOO_FAR', 'an expiry past the expected lifetime', {}, { maxLifetimeSeconds: 599 }],
    ['OPERATION_MISMATCH', 'a redeem', { hooks: [redeem] }],
    ['OPERATION_MISMATCH', 'half of a rebalance', { hooks: [redeemAll] }, { operation: expectedRebalance }],
    ['VAULT_MISMATCH', 'another vault', depositing({ vault: otherVault })],
    [
      'VAULT_MISMATCH',
      'a rebalance into its source',
      { hooks: [redeemAll, { ...depositPrevious, vault }] },
      { operation: { ...expectedRebalance, to: [vault, otherVault] } as never },
    ],
    ['ASSET_MISMATCH', 'a token that is measured instead', { hooks: [{ ...redeem, token: weth }] }, asRedeem],
    ['AMOUNT_MISMATCH', 'more', depositing({ amount: deposit.amount + 1n })],
    ['AMOUNT_MISMATCH', 'everything instead of at most', { hooks: [redeemAll] }, atMostNine],
    ['AMOUNT_MISMATCH', 'more than at most', { hooks: [redeem] }, atMostNine],
    ['MINIMUM_TOO_LOW', 'fewer shares', depositing({ minShares: deposit.minShares - 1n })],
    [
      'ALLOWANCE_TOO_HIGH',
      'an allowance above the cap',
      { deployment: ofCircle, hooks: [deposit, { ...topUp, amount: 100_000_001n }] },
    ],
    [
      'ALLOWANCE_TOO_HIGH',
      'an allowance above what is wanted',
      { deployment: ofCircle, hooks: [deposit, topUp] },
      { maxAllowanceUsdc: 99_999_999n },
    ],
    ['CALLDATA_NOT_ALLOWED', 'an allowance that our paymaster does not need', { hooks: [deposit, ownTopUp] }],
    ['CALLDATA_NOT_ALLOWED', "an allowance of Circle's, paid by ours", { hooks: [deposit, topUp] }],
    [
      'PAYMASTER_MISMATCH',
      'an allowance of somebody else',
      { deployment: ofCircle, hooks: [deposit, { ...topUp, spender: stranger }] },
    ],
    [
      'ASSET_MISMATCH',
      'an allowance of another token',
      { deployment: ofCircle, hooks: [deposit, { ...topUp, token: weth }] },
    ],
    [
      'CALLDATA_NOT_ALLOWED',
      'a deposit of another token that keeps one unit allowed',
      { hooks: [{ ...deposit, token: weth, keepOne: true }] },
      { operation: { ...expectedDeposit, asset: weth } as never },
    ],
    ['CALLDATA_NOT_ALLOWED', 'an allowance in front', { deployment: ofCircle, hooks: [topUp, deposit] }],
    ['CALLDATA_NOT_ALLOWED', 'two allowances', { deployment: ofCircle, hooks: [deposit, topUp, topUp] }],
    ['CALLDATA_NOT_ALLOWED', 'a deposit twice', { hooks: [deposit, deposit] }],
  ])('error: %s for %s', (reason, _, ...[parts, expectations]) => {
    expect(reasonOf(buildPrepared(parts), expectations)).toBe(reason);
  });

  const most = 968_552n;
  const grant = grantOf(most);
  const upperCase: Hex = `0x${grant.slice(2).toUpperCase()}`;

  it.each<[VerificationReason | undefined, string, Hex, PreparedParts['deployment']?]>([
    // 645,700 gas at 0.25 gwei, 5,000 USD for an ether and 20 % on top, and what rounding adds.
    [undefined, 'the most that the gas can cost', grant],
    ['GAS_TOO_EXPENSIVE', 'a unit more', grantOf(most + 1n)],
    ['GAS_TOO_EXPENSIVE', 'a unit more than the agent wants', grantOf(950_001n)],
    ['ASSET_MISMATCH', 'another token', encodeGasGrant({ token: weth, maximum: 1n })],
    ['PAYMASTER_DATA_NOT_ALLOWED', 'no grant', '0x'],
    ['PAYMASTER_DATA_NOT_ALLOWED', 'another mark', concat(['0x00', slice(grant, 1)])],
    ['PAYMASTER_DATA_NOT_ALLOWED', 'a byte more', concat([grant, '0x00'])],
    ['PAYMASTER_DATA_NOT_ALLOWED', 'a byte less', slice(grant, 0, 35)],
    ['PAYMASTER_DATA_NOT_ALLOWED', "a grant to Circle's paymaster", grant, ofCircle],
    ['PAYMASTER_DATA_NOT_ALLOWED', "a grant to a service's paymaster", grant, ofService],
    ['PAYMASTER_DATA_NOT_ALLOWED', 'such a grant in upper case', upperCase, ofService],
  ])('a grant of gas: %s for %s', (reason, what, ...[paymasterData, deployment]) => {
    const maxGasUsdc = what.endsWith('wants') ? 950_000n : undefined;
    expect(reasonOf(buildPrepared({ deployment, operation: { paymasterData } }), { maxGasUsdc })).toBe(
      reason,
    );
  });

  it('error: PAYMASTER_MISMATCH for a grant to a paymaster outside the book', () => {
    const operation = { paymaster: stranger, paymasterData: grantOf(1n) } as const;
    expect(reasonOf(buildPrepared({ operation }))).toBe('PAYMASTER_MISMATCH');
  });

  it('error: HIDDEN_LEAVES for a root over a second operation', () => {
    const envelope = buildPrepared();
    const { expiry, validAfter, chainId, merkleRoot: leaf } = envelope;
    const { validator } = local;
    const other = keccak256('0x');
    const root = keccak256(concat([leaf, other].sort()));
    const forged: PreparedIntentEnvelope = {
      ...envelope,
      intentId: root,
      merkleRoot: root,
      proofs: [[other]],
      signing: intentSigning({ merkleRoot: root, chainId, expiry, validAfter, validator }),
    };
    expect(reasonOf(forged)).toBe('HIDDEN_LEAVES');
    expect(reasonOf({ ...forged, proofs: [[]] })).toBe('MERKLE_ROOT_MISMATCH');
    expect(reasonOf({ ...forged, proofs: [] })).toBe('HIDDEN_LEAVES');
  });
});

describe('an envelope with something besides', () => {
  const envelope = buildPrepared();
  const operation = 'userOps.0.userOperation';

  it.each<[VerificationReason, field: string, value: unknown, at?: string]>([
    ['MALFORMED', '', null],
    ['MALFORMED', '__proto__', { a: 1 }],
    ['MALFORMED', `${operation}.factory`, '0x7702'],
    ['MALFORMED', operation, (1n << 128n).toString(), `${operation}.callGasLimit`],
    ['MALFORMED', operation, '0x1234', `${operation}.paymasterAndData`],
    ['UNSUPPORTED_ENVELOPE', 'userOps', [...envelope.userOps, ...envelope.userOps]],
    ['UNSUPPORTED_ENVELOPE', 'destinationExecutions', [{}]],
    ['UNSUPPORTED_ENVELOPE', 'eip7702AuthRequest', null],
    ['UNSUPPORTED_ENVELOPE', 'userOps.0.eip7702Auth', {}],
    ['UNSUPPORTED_ENVELOPE', 'userOps.0.validatorSig', '0x'],
    ['UNSUPPORTED_ENVELOPE', `${operation}.signature`, '0x00'],
    ['UNSUPPORTED_ENVELOPE', `${operation}.initCode`, '0x7702'],
    ['WALLET_MISMATCH', 'sender', stranger],
    ['INTENT_ID_MISMATCH', 'intentId', keccak256('0x')],
    ['SIGNING_MISMATCH', 'signing.domain', 'Permit2', 'signing.domain.name'],
  ])('error: %s of %s', (reason, field, value, at = field) => {
    expect(verify(putAt(envelope, at, value))).toMatchObject({ ok: false, reason, field });
  });
});

describe('describeEnvelope', () => {
  it('behavior: says when an intent expires that outlives every calendar', () => {
    const result = describeEnvelope(buildPrepared({ expiry: 2 ** 48 - 1 }), { addressBook });
    expect(result.ok && result.summary[0]).toMatch(/until second 281474976710655$/);
  });

  it('error: the reason why no honest deployment made it', () => {
    expect(describeEnvelope({ ...buildPrepared(), expiry: now + 1 }, { addressBook })).toMatchObject({
      ok: false,
      reason: 'MERKLE_ROOT_MISMATCH',
    });
  });
});
