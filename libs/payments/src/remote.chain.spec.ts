import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import type { LocalAccount } from 'viem';
import { buildPayments, price } from '../test/support/build-payments.js';
import { response } from '../test/support/build-request.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import { expectAnswered, expectUnavailable, reasonOf, reserve, shown } from '../test/support/reserve.js';
import { startFacilitator, type FacilitatorFault } from '../test/support/start-facilitator.js';
import { payTo } from '../test/support/payment-chain.js';
import { startPaymentChain, type StartedPaymentChain } from '../test/support/start-payment-chain.js';
import { buildChain } from '../test/support/build-chain.js';
import { createRemoteFacilitator } from './adapters/create-remote-facilitator.js';
import type { Payments } from './payments.js';

const ledgers = openLedgers();
const secret = 'key-of-the-facilitator';
const raw = `request to https://rpc.example.com/${secret} failed`;
const token = 'Bearer token-of-ours';

let base: StartedPaymentChain;
let remote: Awaited<ReturnType<typeof startFacilitator>>;
let payer: LocalAccount;
let payers = 0;

beforeAll(async () => {
  base = await startPaymentChain();
  remote = await startFacilitator(base.rpcUrl);
});
afterAll(async () => {
  await remote.stop();
  await base.stop();
});
beforeEach(async () => {
  remote.setFault();
  payer = testAccount(`remote payer ${++payers}`);
  await base.setUsdc(payTo, 0n);
});
/** Reserve a payment, before anything fails. */
async function setUp() {
  const payments = start();
  const request = await attach();
  return { payments, request, session: await reserve(payments, request) };
}

function start(): Payments {
  const facilitator = createRemoteFacilitator({
    url: remote.url,
    timeoutMs: 500,
    authorize: (operation) => ({ Authorization: `${token} ${operation}` }),
  });
  return buildPayments({ chains: [base.chain], facilitator, ledger: ledgers.connect() });
}

const attach = () => base.payFrom(payer);

const leak = new RegExp(`${secret}|${token}|127\\.0\\.0\\.1|rpc\\.example\\.com`);
const paid = () => base.usdcOf(payTo);

/** Says nothing about the payment. */
const outages: [string, FacilitatorFault][] = [
  ['a reset', 'reset'],
  ['silence', 'silent'],
  ...[401, 429, 503].map((status): [string, FacilitatorFault] => [
    `status ${status}`,
    { status, body: { error: raw } },
  ]),
  ['a page', { status: 200, body: null, text: '<html>' }],
  ['another shape', { status: 200, body: { ok: true } }],
];
const result = (reason: string, status = 200): FacilitatorFault => ({
  status,
  body: {
    isValid: false,
    invalidReason: reason,
    invalidMessage: raw,
    success: false,
    errorReason: reason,
    errorMessage: raw,
    transaction: '',
    network: 'eip155:8453',
  },
});
/** Says that the facilitator is at fault. */
const faults: [string, FacilitatorFault][] = [
  ['unexpected_verify_error', result('unexpected_verify_error')],
  ['unexpected_settle_error', result('unexpected_settle_error')],
  ['a result with status 500', result('invalid_exact_evm_signature', 500)],
];

describe('a facilitator of others', () => {
  it('default: checks and settles, with our credential', async () => {
    const before = remote.calls.length;
    const payments = start();
    const request = await attach();
    const settled = await payments.settle(await reserve(payments, request), response);
    expect(settled.kind).toBe('settled');
    await expectAnswered(payments, request);
    expect(await paid()).toBe(price);
    expect(remote.calls.slice(before)).toEqual([
      { path: '/verify', authorization: `${token} verify` },
      { path: '/settle', authorization: `${token} settle` },
    ]);
  });

  it.each([...outages, ...faults])('error: %s while the payment is checked', async (_, fault) => {
    const payments = start();
    const request = await attach();
    remote.setFault('/verify', fault);
    const error = await expectUnavailable(payments.begin(request));
    expect(error).toMatchObject({ retryAfterSeconds: 5, details: { dependency: 'facilitator' } });
    expect(shown(error)).not.toMatch(leak);
    remote.setFault();
    expect(await payments.begin(request)).toMatchObject({ kind: 'reserved' });
  });

  it.each([
    ['a code', result('invalid_exact_evm_insufficient_balance'), 'invalid_exact_evm_insufficient_balance'],
    ['a code with status 400', result('insufficient_funds', 400), 'insufficient_funds'],
    ['a code with status 402', result('invalid_exact_evm_signature', 402), 'invalid_exact_evm_signature'],
    ['a text', result(raw), 'payment_refused'],
    ['no reason', { status: 200, body: { isValid: false } }, 'payment_refused'],
  ] as [string, FacilitatorFault, string][])('behavior: refused with %s', async (_, fault, reason) => {
    const payments = start();
    remote.setFault('/verify', fault);
    const refused = await payments.begin(await attach());
    expect(reasonOf(refused)).toBe(reason);
    expect(shown(refused)).not.toMatch(leak);
  });

  const unknown = [...outages, ...faults, ['settlement_pending', result('settlement_pending')] as const];

  it.each(unknown)('error: %s instead of a settlement; charged once', async (_, fault) => {
    const { payments, request, session } = await setUp();
    remote.setFault('/settle', fault);
    const error = await expectUnavailable(payments.settle(session, response));
    expect(shown(error)).not.toMatch(leak);
    expect(await paid()).toBe(0n);
    remote.setFault();
    await expectAnswered(payments, request);
    expect(await paid()).toBe(price);
  });

  it.each(unknown)('behavior: %s after a settlement; the chain knows better', async (_, fault) => {
    const { payments, request, session } = await setUp();
    remote.setFault('/settle', fault, 'after');
    const first = await payments.settle(session, response).catch((thrown: unknown) => thrown);
    // A facilitator that is slower than our patience may still be at work.
    if (first instanceof Error) expect(first).toBeInstanceOf(UpstreamUnavailableError);
    else expect(first).toMatchObject({ kind: 'settled' });
    remote.setFault();
    await expectAnswered(payments, request);
    expect(await paid()).toBe(price);
  });

  it.each([
    ['a code', result('invalid_exact_evm_insufficient_balance'), 'invalid_exact_evm_insufficient_balance'],
    ['a text', result(raw, 400), 'payment_refused'],
  ])('behavior: a settlement refused with %s', async (_, fault, reason) => {
    const { payments, request, session } = await setUp();
    remote.setFault('/settle', fault);
    const refused = await payments.settle(session, response);
    expect(reasonOf(refused)).toBe(reason);
    expect(shown(refused)).not.toMatch(leak);
    expect(await paid()).toBe(0n);
    remote.setFault();
    expect(await payments.begin(request)).toMatchObject({ kind: 'reserved' });
  });

  it('error: knows of a use that our node does not show', async () => {
    const { payments, session } = await setUp();
    remote.setFault('/settle', result('invalid_exact_evm_nonce_already_used'));
    await expectUnavailable(payments.settle(session, response));
  });

  it('error: names a failed transaction; the outcome of the payment is unknown', async () => {
    const { payments, request, session } = await setUp();
    const body = { success: false, errorReason: 'invalid_exact_evm_transaction_failed' };
    const sent = { transaction: `0x${'ab'.repeat(32)}`, network: 'eip155:8453' };
    for (const status of [200, 400]) {
      remote.setFault('/settle', { status, body: { ...body, ...sent } });
      const attempt = status === 200 ? payments.settle(session, response) : payments.begin(request);
      await expect(attempt).rejects.toMatchObject({ detail: 'rpc:base: the payment is not confirmed yet.' });
    }
    remote.setFault();
    await expectAnswered(payments, request);
    expect(await paid()).toBe(price);
  });

  it.each([
    ['no transaction', { transaction: '' }],
    ['no hash', { transaction: '0x1234' }],
    ['another chain', { network: 'eip155:1' }],
    ['another payer', { payer: payTo }],
  ])('error: a success with %s is none', async (_, parts) => {
    const { payments, session } = await setUp();
    const success = { success: true, transaction: `0x${'ab'.repeat(32)}`, network: 'eip155:8453' };
    remote.setFault('/settle', { status: 200, body: { ...success, ...parts } });
    await expectUnavailable(payments.settle(session, response));
  });

  it('behavior: requests are paused when it fails too often', async () => {
    const payments = start();
    remote.setFault('/verify', 'reset');
    for (let index = 0; index < 6; index++) await payments.begin(await attach()).catch(() => undefined);
    // Only these: a settlement of an earlier test may still be repeated.
    const checks = () => remote.calls.filter((call) => JSON.stringify(call).includes('/verify')).length;
    const before = checks();
    await expectUnavailable(payments.begin(await attach()));
    expect(checks()).toBe(before);
  });

  it('behavior: reports chains on which it does not settle', async () => {
    const { terms } = { terms: [{ chain: base.chain, network: 'eip155:8453' }] };
    const inspect = (network: string, key: string) =>
      createRemoteFacilitator({ url: remote.url, timeoutMs: 500 }).inspect([
        { ...terms[0], chain: buildChain({ key }), network } as never,
      ]);
    expect(await inspect('eip155:8453', 'base')).toEqual({ problems: [], warnings: [] });
    expect(await inspect('eip155:1', 'ethereum')).toEqual({
      problems: ['the facilitator does not settle on ethereum'],
      warnings: [],
    });
    remote.setFault('/supported', { status: 500, body: raw });
    expect(await inspect('eip155:8453', 'base')).toEqual({
      problems: [],
      warnings: ['the facilitator does not respond'],
    });
  });
});
