import { PaymentInUseError, UpstreamUnavailableError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { buildChain } from '../test/support/build-chain.js';
import { buildPayments } from '../test/support/build-payments.js';
import { response, buildRequest } from '../test/support/build-request.js';
import { createFakeToken } from '../test/support/fake-token.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import { expectAnswered, expectUnavailable, reserve } from '../test/support/reserve.js';
import { signPayment } from '../test/support/sign-payment.js';
import type { PaidRequest } from './types.js';

describe('processes that share a ledger', () => {
  const ledgers = openLedgers();

  /** Two processes of one deployment, and a request that is paid for. */
  async function deploy() {
    const token = createFakeToken();
    const start = () =>
      buildPayments({ chains: [token.chain], facilitator: token.facilitator, ledger: ledgers.connect() });
    const { v2 } = await signPayment(testAccount('payer'), buildChain());
    return {
      token,
      processes: [start(), start()] as const,
      request: buildRequest({ 'PAYMENT-SIGNATURE': v2 }),
    };
  }

  it('behavior: forty calls with one payment: one response is made, one charge', async () => {
    const { token, processes, request } = await deploy();
    let runs = 0;
    const call = async (index: number) => {
      const payments = processes[index % 2 === 0 ? 0 : 1];
      const result = await payments.begin(request);
      if (result.kind !== 'reserved') return result.kind;
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return (await payments.settle(result.session, response)).kind;
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => call(index)));
    expect(runs).toBe(1);
    expect(token.paid()).toBe(1);
    const kinds = outcomes.map((outcome) =>
      outcome.status === 'fulfilled'
        ? outcome.value
        : outcome.reason instanceof UpstreamUnavailableError && 'unavailable',
    );
    expect(kinds.filter((kind) => kind === 'settled')).toHaveLength(1);
    expect(new Set(kinds.filter((kind) => kind !== 'settled' && kind !== 'answered'))).toEqual(
      new Set(['unavailable']),
    );
    await expectAnswered(processes[1], request);
  });

  it('behavior: another process finishes an open payment, with the same bytes', async () => {
    const { token, processes, request } = await deploy();
    const [first, second] = processes;
    const result = await first.begin(request);
    if (result.kind !== 'reserved') throw new Error('not reserved');
    token.setMode('hold');
    await expectUnavailable(first.settle(result.session, response));
    token.mineHeld();
    const again = await second.begin(request);
    if (again.kind !== 'answered') throw new Error(`not answered: ${again.kind}`);
    expect(Buffer.from(again.response.body).equals(response.body)).toBe(true);
    expect(token.paid()).toBe(1);
  });

  it('behavior: settlements of unknown outcome fill neither the ledger nor the limit of a payer', async () => {
    const token = createFakeToken();
    const ledger = ledgers.connect({ maxInFlight: 2, maxInFlightPerPayer: 1 });
    const payments = buildPayments({ chains: [token.chain], facilitator: token.facilitator, ledger });
    token.setMode('time out');
    for (let count = 0; count < 5; count++) {
      const { v2 } = await signPayment(testAccount('payer'), buildChain());
      const session = await reserve(payments, buildRequest({ 'PAYMENT-SIGNATURE': v2 }));
      await expectUnavailable(payments.settle(session, response));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await ledger.inFlight()).toEqual({ reserved: 0, settling: 0, lapsed: 5 });
  });

  it('error: another request on another process', async () => {
    const { processes, request } = await deploy();
    const other: PaidRequest = { ...request, path: '/v1/yield/discover' };
    const result = await processes[0].begin(request);
    await expect(processes[1].begin(other)).rejects.toBeInstanceOf(PaymentInUseError);
    if (result.kind !== 'reserved') throw new Error('not reserved');
    await processes[0].settle(result.session, response);
    expect(await processes[1].begin(other)).toMatchObject({ kind: 'required' });
  });
});
