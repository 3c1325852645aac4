import { testAccount } from '@yield-vault/testing';
import { buildPayments, price } from '../test/support/build-payments.js';
import { response, buildRequest } from '../test/support/build-request.js';
import { openLedgers } from '../test/support/open-ledgers.js';
import { reserve } from '../test/support/reserve.js';
import { decode, signPayment } from '../test/support/sign-payment.js';
import { payTo, relayer } from '../test/support/payment-chain.js';
import { startPaymentChain, type StartedPaymentChain } from '../test/support/start-payment-chain.js';
import { createEmbeddedFacilitator } from './adapters/create-embedded-facilitator.js';

const ledgers = openLedgers();
const payer = testAccount('payer');
let base: StartedPaymentChain;

beforeAll(async () => {
  base = await startPaymentChain(8453, ['--block-time', '1']);
});
afterAll(() => base.stop());

function start() {
  const { chain } = base;
  const facilitator = createEmbeddedFacilitator({ account: relayer, chains: [chain] });
  return buildPayments({ chains: [chain], facilitator, ledger: ledgers.connect() });
}

const attach = async () => buildRequest({ 'PAYMENT-SIGNATURE': (await signPayment(payer, base.chain)).v2 });

const sent = () => base.node.getTransactionCount({ address: relayer.address });

it.each([1, 3])(
  'behavior: eight payments at once over a balance for %d: no gas for the others',
  async (affordable) => {
    await base.setUsdc(payer.address, BigInt(affordable) * price);
    await base.setUsdc(payTo, 1n);
    const payments = start();
    const requests = await Promise.all(Array.from({ length: 8 }, attach));
    const sessions = await Promise.all(requests.map((request) => reserve(payments, request)));
    const before = await sent();
    const settling = sessions.map((session) => payments.settle(session, response));
    const outcomes = await Promise.all(settling);
    expect(outcomes.filter(({ kind }) => kind === 'settled')).toHaveLength(affordable);
    expect(await sent()).toBe(before + affordable);
    expect(await base.usdcOf(payTo)).toBe(1n + BigInt(affordable) * price);

    // The refused caller has not paid, and receives the reason.
    const refused = requests.filter((_, index) => outcomes[index]?.kind === 'required');
    for (const outcome of outcomes)
      if (outcome.kind === 'required')
        expect(decode(outcome.challenge.headers['PAYMENT-RESPONSE'])).toMatchObject({
          success: false,
          errorReason: 'invalid_exact_evm_insufficient_balance',
        });
    await base.setUsdc(payer.address, price);
    expect((await payments.begin(refused[0]!)).kind).toBe('reserved');
  },
);
