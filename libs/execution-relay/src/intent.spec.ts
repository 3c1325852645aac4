import { canonical, chainFacts, localContracts, walletContracts } from '@yield-vault/contracts';
import {
  intentLeafHash,
  intentSigning,
  TransactionValidationError,
  userOperationHash,
  type ExecuteRequest,
  type IntentEnvelope,
  type UserOperation,
} from '@yield-vault/protocol';
import {
  decodeIntentSignature,
  encodeAccountCall,
  encodeGasGrant,
  nonceKey,
} from '@yield-vault/smart-account';
import { signIntent, testAccount, testKey } from '@yield-vault/testing';
import { concat, keccak256, maxUint256, numberToHex, slice, type Hex } from 'viem';
import {
  buildIntent,
  chainId,
  deposit,
  depositPrevious,
  grant,
  owner,
  redeem,
  unlistedVault,
  usdc,
  vault,
  type IntentParts,
} from '../test/support/build-intent.js';
import { createFakeChain } from '../test/support/fake-chain.js';
import { catalogue } from '../test/support/start-relay.js';
import { verifyIntent } from '../test/support/verify-intent.js';
import { readOperation } from './envelope.js';
import { readMoves, requireSubmittable } from './policy.js';

const { chains, chain: ownChain } = createFakeChain();

async function verify(request: ExecuteRequest, { chain = ownChain } = {}) {
  const intent = await verifyIntent(request, {
    ...chains,
    findById: (id) => (id === chainId ? chain : undefined),
  });
  requireSubmittable(intent, catalogue, Date.now());
  return { ...intent, moves: readMoves(intent, catalogue) };
}

const stranger = testAccount('stranger');
const spender = localContracts(chainId).paymaster;
const approve = { hook: 'approve', spender, token: usdc, amount: 100_000_000n } as const;
const foreignGrant = encodeGasGrant({ token: stranger.address, maximum: 1n });
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

async function expectReason(request: unknown, reason: string, setting = {}): Promise<void> {
  const error: unknown = await verify(request as ExecuteRequest, setting).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransactionValidationError);
  expect((error as TransactionValidationError).details.reason).toBe(reason);
}

/** A valid request with its envelope changed afterwards, as a tamperer would. */
async function tampered(change: (envelope: IntentEnvelope) => object): Promise<ExecuteRequest> {
  const request = await buildIntent();
  return {
    ...request,
    intentEnvelope: { ...request.intentEnvelope, ...change(request.intentEnvelope) } as IntentEnvelope,
  };
}

const withOperation = (envelope: IntentEnvelope, changes: object) => ({
  userOps: envelope.userOps.map((item) => ({
    ...item,
    userOperation: { ...item.userOperation, ...changes },
  })),
});

describe('a signed intent', () => {
  it('default: recomputes hash, root and signer', async () => {
    const request = await buildIntent();
    const intent = await verify(request);
    const { intentEnvelope, intentSignature } = request;
    expect(intent.intentId).toBe(intentEnvelope.merkleRoot);
    expect(intent.userOpHash).toBe(
      userOperationHash({ ...intent.operation, signature: '0x' }, canonical.entryPointV08, chainId),
    );
    expect(decodeIntentSignature(intent.operation.signature)).toEqual({
      expiry: intentEnvelope.expiry,
      validAfter: 0,
      signature: intentSignature,
      proof: [],
    });
    expect(intent.moves).toEqual([
      {
        hook: 'deposit',
        vaultId: vault.vaultId,
        vaultAddress: vault.vaultAddress,
        vaultName: vault.name,
        shareDecimals: vault.shareDecimals,
        assetDecimals: vault.asset.decimals,
        amount: '10000000',
      },
    ]);
  });

  it('behavior: fields that follow from others may be absent', async () => {
    const request = await tampered(
      ({ intentId, entryPoint, sender, signing, destinationExecutions, ...rest }) => {
        void [intentId, entryPoint, sender, signing, destinationExecutions];
        return {
          ...rest,
          intentId: undefined,
          entryPoint: undefined,
          sender: undefined,
          signing: undefined,
          proofs: [],
        };
      },
    );
    expect(await verify(request)).toMatchObject({ intentId: request.intentEnvelope.merkleRoot });
  });

  it('behavior: hex in any case, gas fields as hex, extra fields of the operation, null authorizations', async () => {
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
    const request = await tampered((envelope) => ({
      ...withOperation(envelope, {
        sender: owner.address.toLowerCase(),
        callData: upper(envelope.userOps[0]?.userOperation.callData ?? '0x'),
        callGasLimit: '0x493e0',
        factory: '0x7702',
      }),
      merkleRoot: upper(envelope.merkleRoot),
      entryPoint: canonical.entryPointV08.toLowerCase(),
      sender: upper(owner.address),
      eip7702AuthRequest: null,
    }));
    const intent = await verify({ ...request, intentId: request.intentEnvelope.merkleRoot.toUpperCase() });
    expect(intent.intentId).toBe(request.intentEnvelope.merkleRoot.toLowerCase());
  });

  it('behavior: validatorSig is used instead of the signature, unless it is empty', async () => {
    const request = await buildIntent();
    const [item] = request.intentEnvelope.userOps;
    const using = (validatorSig: Hex, intentSignature: Hex) => ({
      intentSignature,
      intentEnvelope: { ...request.intentEnvelope, userOps: [{ ...item, validatorSig }] } as IntentEnvelope,
    });
    expect(await verify(using(request.intentSignature, '0x'))).toBeDefined();
    expect(await verify(using('0x', request.intentSignature))).toBeDefined();
    await expectReason(using('0x1234', request.intentSignature), 'INVALID_SIGNATURE');
  });

  it('behavior: an operation of a tree with several leaves', async () => {
    const request = await buildIntent();
    const { expiry, validAfter, userOps } = request.intentEnvelope;
    const operation = readOperation(userOps[0]?.userOperation as never);
    const leaf = (userOpHash: Hex) => ({
      userOpHash,
      expiry,
      validAfter,
      validator: walletContracts.validator,
    });
    const [own, other] = [
      leaf(userOperationHash(operation, canonical.entryPointV08, chainId)),
      leaf(keccak256('0x')),
    ].map(intentLeafHash) as [Hex, Hex];
    const merkleRoot = keccak256(concat([own, other].sort()));
    const signing = intentSigning({
      merkleRoot,
      chainId,
      expiry,
      validAfter,
      validator: walletContracts.validator,
    });
    const envelope = { ...request.intentEnvelope, intentId: merkleRoot, merkleRoot, signing };
    const intentSignature = await signIntent(signing, testKey('owner'));
    const proofs = [[other]];
    expect(await verify({ intentEnvelope: { ...envelope, proofs }, intentSignature })).toBeDefined();
    for (const wrong of [[[keccak256('0x01')]], [[own]], [...proofs, ...proofs]]) {
      await expectReason(
        { intentEnvelope: { ...envelope, proofs: wrong }, intentSignature },
        'INVALID_PROOF',
      );
    }
    await expectReason(
      { intentEnvelope: { ...envelope, proofs: [] }, intentSignature },
      'MERKLE_ROOT_MISMATCH',
    );
  });

  it.each<[string, IntentParts['hooks']]>([
    ['a redeem', [redeem]],
    ['a rebalance', [redeem, depositPrevious]],
    ['a deposit that leaves one unit of USDC allowed', [{ ...deposit, keepOne: true } as typeof deposit]],
    [
      'a redeem from a vault that is no longer listed',
      [{ ...redeem, vault: unlistedVault.vaultAddress } as typeof redeem],
    ],
  ])('behavior: allows %s', async (_, hooks) => {
    expect(await verify(await buildIntent({ hooks }))).toBeDefined();
  });
});

describe('a signed intent with a paymaster that needs an allowance', () => {
  const circle = { chain: { ...ownChain, paymaster: { kind: 'circle' } as const } };
  const operation = { paymasterData: '0x' } as const;

  it('default: an allowance up to the cap of the chain, before or after the deposit', async () => {
    for (const hooks of [[deposit], [approve, deposit], [deposit, approve]])
      expect(await verify(await buildIntent({ hooks, operation }), circle)).toBeDefined();
  });

  it.each<[string, string, IntentParts]>([
    ['WRONG_PAYMASTER', 'a grant', { operation: { paymasterData: grant } }],
    ['CALLDATA_NOT_ALLOWED', 'more than the cap', { hooks: [deposit, { ...approve, amount: 100_000_001n }] }],
    [
      'CALLDATA_NOT_ALLOWED',
      'another spender',
      { hooks: [deposit, { ...approve, spender: stranger.address }] },
    ],
    ['CALLDATA_NOT_ALLOWED', 'another token', { hooks: [deposit, { ...approve, token: stranger.address }] }],
    [
      'CALLDATA_NOT_ALLOWED',
      'a second one of another token',
      { hooks: [deposit, approve, { ...approve, token: stranger.address }] },
    ],
  ])('error: %s for %s', async (reason, _, parts) => {
    await expectReason(await buildIntent({ operation, ...parts }), reason, circle);
  });
});

describe('a properly signed intent that breaks a rule', () => {
  it.each<[string, string, IntentParts]>([
    ['CHAIN_NOT_ACTIVE', 'another chain', { chainId: 10 }],
    ['INVALID_EXPIRY', 'expiry 0', { expiry: 0 }],
    ['INVALID_EXPIRY', 'validAfter at expiry', { expiry: 2_000_000_000, validAfter: 2_000_000_000 }],
    [
      'WRONG_ENTRY_POINT',
      'another entry point',
      { entryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032' },
    ],
    ['SIGNING_MISMATCH', 'another validator', { validator: walletContracts.executor }],
    ['INVALID_SIGNATURE', 'a stranger', { key: testKey('stranger') }],
    ['INVALID_SIGNATURE', 'an operation of a stranger', { operation: { sender: stranger.address } }],
    [
      'WRONG_NONCE_KEY',
      'the nonce key of another module',
      { operation: { nonce: nonceKey(walletContracts.executor) << 64n } },
    ],
    [
      'WRONG_NONCE_KEY',
      'a nonce key with more to it',
      { operation: { nonce: (nonceKey(walletContracts.validator) + 1n) << 64n } },
    ],
    ['WRONG_PAYMASTER', 'another paymaster', { operation: { paymaster: stranger.address } }],
    ['WRONG_PAYMASTER', 'no paymaster', { operation: { paymaster: undefined } }],
    ['CALLDATA_NOT_ALLOWED', 'a plain transfer', { operation: { callData: `0xa9059cbb${'00'.repeat(64)}` } }],
    [
      'CALLDATA_NOT_ALLOWED',
      'bytes behind the call',
      { operation: { callData: concat([encodeAccountCall([deposit]), '0x00']) } },
    ],
    ['WRONG_PAYMASTER', 'no grant', { operation: { paymasterData: '0x' } }],
    ['WRONG_PAYMASTER', 'a grant of another token', { operation: { paymasterData: foreignGrant } }],
    ['CALLDATA_NOT_ALLOWED', 'only an allowance', { hooks: [approve] }],
    ['CALLDATA_NOT_ALLOWED', 'an allowance that nobody needs', { hooks: [deposit, approve] }],
    [
      'CALLDATA_NOT_ALLOWED',
      'none for the paymaster any more',
      { hooks: [deposit, { ...approve, amount: 0n }] },
    ],
    [
      'CALLDATA_NOT_ALLOWED',
      'a deposit that leaves one unit of another token allowed',
      { hooks: [{ ...deposit, token: stranger.address, keepOne: true } as typeof deposit] },
    ],
    ['CALLDATA_NOT_ALLOWED', 'two deposits', { hooks: [deposit, deposit] }],
    ['CALLDATA_NOT_ALLOWED', 'a deposit of nothing brought', { hooks: [depositPrevious] }],
    ['CALLDATA_NOT_ALLOWED', 'a redeem and a deposit of something else', { hooks: [redeem, deposit] }],
    [
      'UNLISTED_VAULT',
      'an unknown vault',
      { hooks: [{ ...deposit, vault: stranger.address } as typeof deposit] },
    ],
    [
      'UNLISTED_VAULT',
      'a vault that is not listed',
      { hooks: [{ ...deposit, vault: unlistedVault.vaultAddress } as typeof deposit] },
    ],
    [
      'UNLISTED_VAULT',
      'a rebalance to a vault that is not listed',
      { hooks: [redeem, { ...depositPrevious, vault: unlistedVault.vaultAddress } as typeof deposit] },
    ],
    [
      'UNLISTED_VAULT',
      'a vault with another asset',
      { hooks: [{ ...deposit, token: chainFacts(8453).wrappedNative.address } as typeof deposit] },
    ],
    [
      'UNLISTED_VAULT',
      'a rebalance to an unknown vault',
      { hooks: [redeem, { ...depositPrevious, vault: stranger.address } as typeof deposit] },
    ],
  ])('error: %s for %s', async (reason, _, parts) => {
    await expectReason(await buildIntent(parts), reason);
  });
});

describe('an envelope that was changed after signing', () => {
  it.each<[string, keyof UserOperation | 'initCode' | 'paymasterAndData', string]>([
    ['INVALID_SIGNATURE', 'signature', '0x1234'],
    ['MERKLE_ROOT_MISMATCH', 'nonce', '7777'],
    ['MERKLE_ROOT_MISMATCH', 'callData', encodeAccountCall([redeem])],
    ['MERKLE_ROOT_MISMATCH', 'callGasLimit', '1'],
    ['MERKLE_ROOT_MISMATCH', 'maxFeePerGas', '1'],
    ['MERKLE_ROOT_MISMATCH', 'paymasterAndData', '0x'],
    ['SENDER_MISMATCH', 'sender', stranger.address],
    ['MERKLE_ROOT_MISMATCH', 'initCode', '0x7702'],
    ['UNSUPPORTED_ENVELOPE', 'initCode', '0x770200'],
    ['UNSUPPORTED_ENVELOPE', 'nonce', 'seven'],
    ['UNSUPPORTED_ENVELOPE', 'nonce', numberToHex(maxUint256 + 1n)],
    ['UNSUPPORTED_ENVELOPE', 'callGasLimit', numberToHex(1n << 128n)],
    ['UNSUPPORTED_ENVELOPE', 'paymasterAndData', '0x1234'],
  ])('error: %s when %s of the operation changed', async (reason, field, value) => {
    // The signature of the operation is the one field that nothing is bound to: it is replaced.
    if (field === 'signature') {
      const request = await tampered((envelope) => withOperation(envelope, { signature: value }));
      expect(await verify(request)).toBeDefined();
      return;
    }
    await expectReason(await tampered((envelope) => withOperation(envelope, { [field]: value })), reason);
  });

  it.each<[string, string, (envelope: IntentEnvelope) => object]>([
    ['INTENT_ID_MISMATCH', 'intentId', () => ({ intentId: keccak256('0x') })],
    ['CHAIN_NOT_ACTIVE', 'chainId', () => ({ chainId: 1 })],
    ['WRONG_ENTRY_POINT', 'entryPoint', () => ({ entryPoint: walletContracts.account })],
    ['SENDER_MISMATCH', 'sender', () => ({ sender: stranger.address })],
    ['SIGNING_MISMATCH', 'expiry', ({ expiry }) => ({ expiry: expiry + 1 })],
    ['SIGNING_MISMATCH', 'validAfter', () => ({ validAfter: 1 })],
    ['INVALID_EXPIRY', 'expiry', () => ({ expiry: 2 ** 48 })],
    [
      'MERKLE_ROOT_MISMATCH',
      'expiry without signing',
      ({ expiry }) => ({ expiry: expiry + 1, signing: undefined }),
    ],
    ['MERKLE_ROOT_MISMATCH', 'validAfter without signing', () => ({ validAfter: 1, signing: undefined })],
    [
      'MERKLE_ROOT_MISMATCH',
      'merkleRoot alone',
      () => ({ merkleRoot: keccak256('0x'), intentId: undefined, signing: undefined }),
    ],
    ['INTENT_ID_MISMATCH', 'merkleRoot', () => ({ merkleRoot: keccak256('0x') })],
    ['INVALID_PROOF', 'proofs', () => ({ proofs: [[keccak256('0x')]] })],
    ['UNSUPPORTED_ENVELOPE', 'two operations', ({ userOps }) => ({ userOps: [...userOps, ...userOps] })],
    ['UNSUPPORTED_ENVELOPE', 'executions elsewhere', () => ({ destinationExecutions: [{}] })],
    ['UNSUPPORTED_ENVELOPE', 'an authorization request', () => ({ eip7702AuthRequest: {} })],
    [
      'UNSUPPORTED_ENVELOPE',
      'an authorization',
      ({ userOps }) => ({ userOps: userOps.map((item) => ({ ...item, eip7702Auth: {} })) }),
    ],
  ])('error: %s for %s', async (reason, _, change) => {
    await expectReason(await tampered(change), reason);
  });

  it.each<[string, (signing: NonNullable<IntentEnvelope['signing']>) => object]>([
    ['domain.name', (signing) => ({ domain: { ...signing.domain, name: 'Another' } })],
    ['domain.chainId', (signing) => ({ domain: { ...signing.domain, chainId: 1 } })],
    [
      'domain.verifyingContract',
      (signing) => ({ domain: { ...signing.domain, verifyingContract: walletContracts.account } }),
    ],
    ['primaryType', () => ({ primaryType: 'intent' })],
    ['types.Intent', (signing) => ({ types: { Intent: [...signing.types.Intent].reverse() } })],
    ['message.merkleRoot', (signing) => ({ message: { ...signing.message, merkleRoot: keccak256('0x') } })],
    ['message.expiry', (signing) => ({ message: { ...signing.message, expiry: 1 } })],
  ])('error: SIGNING_MISMATCH names %s of the signing block', async (field, change) => {
    const request = await tampered(({ signing }) => ({
      signing: signing && { ...signing, ...change(signing) },
    }));
    await expect(verify(request)).rejects.toMatchObject({
      details: { reason: 'SIGNING_MISMATCH', field: `signing.${field}` },
    });
  });

  it('error: INVALID_SIGNATURE shows both signers', async () => {
    const details = { expectedSigner: owner.address, recoveredSigner: stranger.address };
    const request = await buildIntent({ key: testKey('stranger') });
    await expect(verify(request)).rejects.toMatchObject({ details });
    const unreadable = { ...request, intentSignature: '0x12' as const };
    await expect(verify(unreadable)).rejects.toMatchObject({
      details: { expectedSigner: owner.address, recoveredSigner: null },
    });
  });

  it('error: an operation signed for another entry point is refused, whatever the envelope says', async () => {
    const request = await buildIntent({ entryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032' });
    for (const entryPoint of [undefined, canonical.entryPointV08]) {
      const intentEnvelope = { ...request.intentEnvelope, entryPoint };
      await expectReason({ ...request, intentEnvelope }, 'MERKLE_ROOT_MISMATCH');
    }
  });

  it('error: INTENT_ID_MISMATCH for the intentId of the body', async () => {
    await expectReason({ ...(await buildIntent()), intentId: keccak256('0x') }, 'INTENT_ID_MISMATCH');
  });

  it('error: INVALID_SIGNATURE for every other form of the signature', async () => {
    const request = await buildIntent();
    const { intentSignature } = request;
    const [r, s, v] = [
      slice(intentSignature, 0, 32),
      slice(intentSignature, 32, 64),
      slice(intentSignature, 64),
    ];
    const twin = numberToHex(curveOrder - BigInt(s), { size: 32 });
    const compact = numberToHex(BigInt(s) | (v === '0x1c' ? 1n << 255n : 0n), { size: 32 });
    const refused: unknown[] = [
      concat([r, s, numberToHex(Number(v) - 27, { size: 1 })]),
      concat([r, s, v === '0x1b' ? '0x1c' : '0x1b']),
      concat([r, twin, v === '0x1b' ? '0x1c' : '0x1b']),
      concat([r, compact]),
      concat([intentSignature, '0x00']),
      `0x${'00'.repeat(64)}1b`,
      `0x${'ff'.repeat(64)}1b`,
      '0x',
      `0x${'zz'.repeat(65)}`,
    ];
    for (const wrong of refused)
      await expectReason({ ...request, intentSignature: wrong }, 'INVALID_SIGNATURE');
  });

  it.each([-1, 1.5, NaN])('error: INVALID_EXPIRY for %d seconds', async (seconds) => {
    await expectReason(await tampered(() => ({ expiry: seconds })), 'INVALID_EXPIRY');
    await expectReason(await tampered(() => ({ validAfter: seconds })), 'INVALID_EXPIRY');
  });
});
