import { UpstreamFailure } from '@yield-vault/chains';
import { testAccount } from '@yield-vault/testing';
import { buildPayments, price } from '../test/support/build-payments.js';
import { response, buildRequest } from '../test/support/build-request.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import { expectAnswered, expectUnavailable, expectUsedUp, reserve } from '../test/support/reserve.js';
import { signPayment } from '../test/support/sign-payment.js';
import { payTo, relayer } from '../test/support/payment-chain.js';
import { startPaymentChain, type StartedPaymentChain } from '../test/support/start-payment-chain.js';
import { withRpc } from '../test/support/with-rpc.js';
import { createEmbeddedFacilitator } from './adapters/create-embedded-facilitator.js';
import type { Payments } from './payments.js';
import { sweepPayments } from './sweep-payments.js';
import type { PaymentLedger } from './ports.js';
import type { PaidRequest, PaymentChain, PaymentOutcome } from './types.js';

const lost = () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out'));

describe('sweep', () => {
  let base: StartedPaymentChain;
  const ledgers = openLedgers();
  let ledger: PaymentLedger;
  let payers = 0;

  beforeAll(async () => {
    base = await startPaymentChain();
    ledger = ledgers.connect();
  });
  beforeEach(() => base.setUsdc(payTo, 0n));
  afterAll(() => base.stop());

  function start(chain: PaymentChain = base.chain) {
    const options = { account: relayer, chains: [chain], confirmationTimeoutMs: 300 };
    const payments = buildPayments({
      chains: [chain],
      ledger,
      facilitator: createEmbeddedFacilitator(options),
    });
    const outcomes: PaymentOutcome[] = [];
    payments.onOutcome((outcome) => outcomes.push(outcome));
    const sweep = () => sweepPayments(chain, ledger, (outcome) => outcomes.push(outcome));
    return { payments, outcomes, sweep };
  }

  async function attach(): Promise<PaidRequest> {
    const payer = testAccount(`swept payer ${++payers}`);
    await base.setUsdc(payer.address, price);
    // The clock of the chain, which these tests move.
    const { timestamp } = await base.node.getBlock();
    const seconds = Math.max(Number(timestamp), Math.floor(Date.now() / 1_000));
    const { v2 } = await signPayment(payer, base.chain, { validBefore: BigInt(seconds + 120) });
    return buildRequest({ 'PAYMENT-SIGNATURE': v2 });
  }

  /** Settle on a node that loses what becomes of the transfer. */
  async function settleUnknown(isSent: boolean): Promise<PaidRequest> {
    let isCut = false;
    const chain = withRpc(base.chain, {
      sendRawTransaction: async (call) => {
        isCut = true;
        return isSent ? base.chain.rpc.sendRawTransaction(call) : lost();
      },
      getTransactionReceipt: (call) => (isCut ? lost() : base.chain.rpc.getTransactionReceipt(call)),
      getBlock: ((call: never) => (isCut ? lost() : base.chain.rpc.getBlock(call))) as never,
    });
    const { payments, outcomes } = start(chain);
    const request = await attach();
    await expectUnavailable(payments.settle(await reserve(payments, request), response));
    expect(outcomes).toEqual(['unknown']);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return request;
  }
  const lapsed = async () => (await ledger.inFlight()).lapsed;
  const settles = async (payments: Payments, request: PaidRequest) =>
    (await payments.settle(await reserve(payments, request), response)).kind;

  it('default: records a transfer that was mined, and its response is repeated, charged once', async () => {
    const request = await settleUnknown(true);
    expect(await lapsed()).toBe(1);
    const { payments, outcomes, sweep } = start();
    await sweep();
    expect(await ledger.inFlight()).toEqual({ reserved: 0, settling: 0, lapsed: 0 });
    await expectAnswered(payments, request);
    await expectUsedUp(payments, request);
    await sweep();
    expect(outcomes).toEqual(['settled', 'repeated', 'refused']);
    expect(await base.usdcOf(payTo)).toBe(price);
  });

  it('behavior: leaves an authorization that can still be used; the payer continues', async () => {
    const request = await settleUnknown(false);
    const { payments, outcomes, sweep } = start();
    await sweep();
    expect([await lapsed(), outcomes]).toEqual([1, []]);
    await expectAnswered(payments, request);
    expect(await base.usdcOf(payTo)).toBe(price);
  });

  it('behavior: frees an authorization that expired unused', async () => {
    const request = await settleUnknown(false);
    const { payments, outcomes, sweep } = start();
    const snapshot = await base.node.snapshot();
    try {
      await base.node.increaseTime({ seconds: 200 });
      await base.node.mine({ blocks: 1 });
      await sweep();
      expect([await lapsed(), outcomes]).toEqual([0, ['lost']]);
      expect(await base.usdcOf(payTo)).toBe(0n);
    } finally {
      await base.node.revert({ id: snapshot });
    }
    // Nothing holds the payment.
    expect(await settles(payments, request)).toBe('settled');
  });

  it('behavior: payments that are settled elsewhere meanwhile are reported once', async () => {
    const requests = [await settleUnknown(true), await settleUnknown(true)];
    const [one, other] = [start(), start()];
    await Promise.all([
      ...[one, other].map(({ sweep }) => sweep()),
      ...requests.map((request) => one.payments.begin(request).catch(() => undefined)),
    ]);
    const reported = [...one.outcomes, ...other.outcomes].filter((outcome) => outcome === 'settled');
    expect([await lapsed(), reported]).toEqual([0, ['settled', 'settled']]);
    expect(await base.usdcOf(payTo)).toBe(2n * price);
  });
});
