import { openTestDatabase } from '@yield-vault/database/testing';
import type { DatabaseHandle } from '@yield-vault/database';
import type { SetupRelayRequest } from '@yield-vault/protocol';
import { chainFacts, walletContracts } from '@yield-vault/contracts';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import { testAccount } from '@yield-vault/testing';
import {
  createPublicClient,
  custom,
  keccak256,
  numberToHex,
  parseTransaction,
  serializeTransaction,
  type Hex,
  type TransactionSerializableEIP7702,
} from 'viem';
import {
  allowanceUsdc,
  allowing,
  buildChain,
  buildSetup,
  chainId,
  owner,
  type SetupParts,
} from '../test/support/build-setup.js';
import { createDatabaseSetupStore } from './adapters/database-setup-store.js';
import type { SetupChain } from './ports.js';
import { createSetupRelay } from './setup-relay.js';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const stranger = testAccount('stranger');
const restoring = encodeInitializeAccount();
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A relay whose chain notes every call and returns nothing: a check that fails must not reach it. */
let database: DatabaseHandle;
beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);
afterAll(() => database.close());

function startRelay(paymaster: SetupChain['paymaster'] = { kind: 'own' }) {
  const calls: string[] = [];
  const rpc = createPublicClient({
    transport: custom(
      {
        request: ({ method }: { method: string }) => {
          calls.push(method);
          return Promise.reject(new Error(`the check let ${method} through`));
        },
      },
      { retryCount: 0 },
    ),
  });
  const chain = buildChain(rpc, paymaster);
  const relay = createSetupRelay({
    chains: { keys: ['base'], findById: (id) => (id === chainId ? chain : undefined) },
    store: createDatabaseSetupStore(database),
    options: { ticketLifetimeSeconds: 900, waitSeconds: 0, paymasterAllowanceUsdc: allowanceUsdc },
    now: () => nowMs,
  });
  return { relay, calls };
}

/** Check that a request fails a check before the chain is read. */
async function expectRejected(request: SetupRelayRequest, code: string, failedCheck: string) {
  const { relay, calls } = startRelay();
  await expect(relay.relay(request)).rejects.toMatchObject({ code, details: { failedCheck } });
  expect(calls).toEqual([]);
}
const expectTicketRejected = (request: SetupRelayRequest, failedCheck: string) =>
  expectRejected(request, 'SETUP_TICKET_REJECTED', failedCheck);
const expectTransactionRejected = (request: SetupRelayRequest, failedCheck: string) =>
  expectRejected(request, 'SETUP_TRANSACTION_REJECTED', failedCheck);

interface Signature {
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: number;
}

/** The same signature with the other parity, which recovers the same signer. */
const twinOf = ({ r, s, yParity }: Signature): Signature => ({
  r,
  s: numberToHex(curveOrder - BigInt(s), { size: 32 }),
  yParity: 1 - yParity,
});

async function rebuild(
  change: (transaction: TransactionSerializableEIP7702) => object,
  resign = (signature: Signature) => signature,
) {
  const request = await buildSetup({ nowMs });
  const { r, s, yParity, ...transaction } = parseTransaction(request.signedRawTx as `0x04${string}`);
  const changed = { ...transaction, ...change(transaction) };
  return { ...request, signedRawTx: serializeTransaction(changed, resign({ r, s, yParity } as Signature)) };
}

describe('the ticket checks', () => {
  it.each<[string, string, SetupParts['ticket']]>([
    ['ticket-not-expired', 'expired', { expiresAt: '2025-12-31T23:59:59.999Z' }],
    ['ticket-not-expired', 'expiring now', { expiresAt: '2026-01-01T00:00:00Z' }],
    ['ticket-not-expired', 'longer than a new one', { expiresAt: '2026-01-01T00:16:00.001Z' }],
    ['ticket-not-expired', 'on an impossible day', { expiresAt: '2026-13-45T00:00:00Z' }],
    ['ticket-not-expired', 'not in UTC', { expiresAt: '2026-01-01T00:05:00+01:00' }],
    ['chain-active', 'of a chain that is not active', { chainId: 10 }],
    ['implementation-match', 'of another implementation', { implementation: walletContracts.validator }],
    ['calldata-hash-match', 'of other call data', { initCalldataHash: keccak256('0x01') }],
    ['calldata-hash-match', 'without a hash', { initCalldataHash: '0x' }],
  ])('error: %s for a ticket %s', async (check, _, ticket) => {
    await expectTicketRejected(await buildSetup({ nowMs, ticket }), check);
  });

  const service = (context: Record<string, string>): SetupChain['paymaster'] => ({
    kind: 'erc7677',
    url: 'http://127.0.0.1:1',
    context,
  });
  const token = chainFacts(chainId).usdc.address;
  it.each<[string, SetupChain['paymaster'], boolean]>([
    ['our paymaster', { kind: 'own' }, false],
    ['a service that sponsors gas', service({}), false],
    ['a service that takes USDC', service({ token }), true],
    ["Circle's paymaster", { kind: 'circle' }, true],
  ])('behavior: only the call data of a setup with %s pass', async (_, paymaster, hasAllowance) => {
    for (const [setupType, initCalldata, isOurs] of [
      ['full', '0x', !hasAllowance],
      ['full', restoring, !hasAllowance],
      ['full', allowing(owner.address), hasAllowance],
      ['modules', '0x', false],
      ['modules', restoring, !hasAllowance],
      ['modules', allowing(owner.address), hasAllowance],
    ] as const) {
      const { relay, calls } = startRelay(paymaster);
      const request = await buildSetup({ nowMs, initCalldata, ticket: { setupType } });
      const error: unknown = await relay.relay(request).catch((thrown: unknown) => thrown);
      expect([setupType, initCalldata, calls.length > 0]).toEqual([setupType, initCalldata, isOurs]);
      if (!isOurs) expect(error).toMatchObject({ details: { failedCheck: 'calldata-hash-match' } });
    }
  });

  it('behavior: names the chains that are active', async () => {
    const request = await buildSetup({ nowMs, ticket: { chainId: 10 } });
    await expect(startRelay().relay.relay(request)).rejects.toMatchObject({
      details: { supportedChains: ['base'] },
    });
  });
});

describe('the transaction checks', () => {
  it.each<[string, string, SetupParts]>([
    ['tx-type-valid', 'a full setup of type 2', { type: 'eip1559' }],
    ['chain-id-match', 'another chain', { transaction: { chainId: 1 }, authorization: { chainId } }],
    ['self-call', 'another target', { transaction: { to: stranger.address } }],
    [
      'self-call',
      'no target',
      { type: 'eip1559', ticket: { setupType: 'modules' }, transaction: { to: undefined } },
    ],
    ['self-call', 'a value', { transaction: { value: 1n } }],
    ['self-call', 'a ticket of another wallet', { ticket: { walletAddress: stranger.address } }],
    ['calldata-hash-match', 'other call data', { transaction: { data: '0x00' } }],
    ['calldata-hash-match', 'no call data', { initCalldata: restoring, transaction: { data: '0x' } }],
    ['auth-list-valid', 'another implementation', { authorization: { address: walletContracts.executor } }],
    ['auth-list-valid', 'an authorization for every chain', { authorization: { chainId: 0 } }],
    ['auth-list-valid', 'the nonce of the transaction itself', { authorization: { nonce: 0 } }],
    ['auth-list-valid', 'a nonce too far', { authorization: { nonce: 2 } }],
    ['auth-list-valid', 'an authorization of a stranger', { authorization: { signer: stranger } }],
    ['auth-list-valid', 'two authorizations', { authorizations: 2 }],
    [
      'auth-list-valid',
      'a bad authorization of a modules setup',
      { initCalldata: restoring, ticket: { setupType: 'modules' }, authorizations: 2 },
    ],
    ['signer-match', 'the signature of a stranger', { signer: stranger }],
  ])('error: %s for %s', async (check, _, parts) => {
    await expectTransactionRejected(await buildSetup({ nowMs, ...parts }), check);
  });

  it('error: tx-type-valid for legacy, access-list and blob transactions, unsigned ones and noise', async () => {
    const request = await buildSetup({ nowMs });
    const base = { to: owner.address, data: '0x' as Hex, nonce: 0, gas: 1n, chainId };
    const refused: readonly string[] = [
      await owner.signTransaction({ ...base, type: 'legacy', gasPrice: 1n }),
      await owner.signTransaction({ ...base, type: 'eip2930', gasPrice: 1n }),
      `0x03${request.signedRawTx.slice(4)}`,
      serializeTransaction({ ...base, type: 'eip1559', maxFeePerGas: 1n }),
      '0x',
      '0x04',
      '0x02c0',
      `${request.signedRawTx}00`,
      request.signedRawTx.slice(0, -2),
    ];
    for (const signedRawTx of refused) {
      await expectTransactionRejected({ ...request, signedRawTx: signedRawTx as Hex }, 'tx-type-valid');
    }
  });

  it('error: tx-type-valid for an encoding that is not canonical', async () => {
    const request = await buildSetup({
      nowMs,
      type: 'eip1559',
      ticket: { setupType: 'modules' },
      transaction: { nonce: 5 },
    });
    // The nonce 5 as the one-byte string 0x8105 instead of the byte 0x05; the list grows by a byte.
    const body = request.signedRawTx.slice(4);
    const length = Number(`0x${body.slice(2, 4)}`);
    const items = body.slice(4).replace(/^82210505/, '8221058105');
    expect(items).not.toBe(body.slice(4));
    const signedRawTx = `0x02f8${numberToHex(length + 1, { size: 1 }).slice(2)}${items}` as Hex;
    await expectTransactionRejected({ ...request, signedRawTx }, 'tx-type-valid');
  });

  it('error: auth-list-valid for an empty list', async () => {
    await expectTransactionRejected(await rebuild(() => ({ authorizationList: [] })), 'auth-list-valid');
  });

  it('error: auth-list-valid for the malleable twin of an authorization', async () => {
    const request = await rebuild(({ authorizationList }) => ({
      authorizationList: authorizationList!.map((each) => ({ ...each, ...twinOf(each as Signature) })),
    }));
    await expectTransactionRejected(request, 'auth-list-valid');
  });

  it('error: signer-match for the malleable twin of the signature', async () => {
    await expectTransactionRejected(await rebuild(() => ({}), twinOf), 'signer-match');
  });

  it('behavior: every check passes for any case of the addresses, and then the chain is read', async () => {
    for (const change of [
      (text: string) => text.toLowerCase(),
      (text: string) => `0x${text.slice(2).toUpperCase()}`,
    ]) {
      const { relay, calls } = startRelay();
      // Of a process whose clock is 30 s ahead.
      const parts = { nowMs, ticket: { expiresAt: '2026-01-01T00:15:30Z' } };
      const { setupTicket, signedRawTx } = await buildSetup(parts);
      const ticket = {
        ...setupTicket,
        walletAddress: change(setupTicket.walletAddress) as Hex,
        implementation: change(setupTicket.implementation) as Hex,
      };
      const outcome = relay.relay({
        setupTicket: ticket,
        signedRawTx: change(signedRawTx) as Hex,
        confirmations: 1,
      });
      await expect(outcome).rejects.toThrow();
      expect(calls).toEqual(['eth_getTransactionByHash']);
    }
  });
});
