import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import { buildChain } from '../test/support/build-chain.js';
import { buildPayment } from '../test/support/build-payment.js';
import { buildResource } from '../test/support/build-resource.js';
import { decode } from '../test/support/sign-payment.js';
import { payTo } from '../test/support/payment-chain.js';
import { buildChallenge, buildReceipt } from './x402-messages.js';

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const extra = { name: 'USD Coin', version: '2' };
const transaction = `0x${'ab'.repeat(32)}` as const;

describe('buildChallenge', () => {
  it('default: v2 in the header, v1 in the body', () => {
    const { headers, body } = buildChallenge(buildResource(), 'request-1');
    expect(decode(headers['PAYMENT-REQUIRED'])).toEqual({
      x402Version: 2,
      error: 'Payment required',
      resource: {
        url: 'https://api.example.com/v1/yield/prepare',
        description: 'Prepare a yield operation',
        mimeType: 'application/json',
      },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          amount: '10000',
          asset: usdc,
          payTo,
          maxTimeoutSeconds: 120,
          extra,
        },
        {
          scheme: 'exact',
          network: 'eip155:1',
          amount: '10000',
          asset: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
          payTo,
          maxTimeoutSeconds: 120,
          extra,
        },
      ],
    });
    expect(body).toEqual({
      x402Version: 1,
      error: 'Payment required',
      // Clients of v1 refuse the whole list for one network that they do not know.
      accepts: [
        {
          scheme: 'exact',
          network: 'base',
          maxAmountRequired: '10000',
          resource: 'https://api.example.com/v1/yield/prepare',
          description: 'Prepare a yield operation',
          mimeType: 'application/json',
          outputSchema: {},
          payTo,
          maxTimeoutSeconds: 120,
          asset: usdc,
          extra,
        },
      ],
      code: 'PAYMENT_REQUIRED',
      requestId: 'request-1',
    });
  });

  it('behavior: the schemas of the protocol accept both', () => {
    const { headers, body } = buildChallenge(buildResource(), 'request-1');
    expect(PaymentRequiredV1Schema.safeParse(body).success).toBe(true);
    expect(PaymentRequiredV2Schema.safeParse(decode(headers['PAYMENT-REQUIRED'])).success).toBe(true);
  });

  it('behavior: a reason stands in the header alone', () => {
    const { headers, body } = buildChallenge(buildResource(), 'request-1', 'payment_already_used');
    expect(decode(headers['PAYMENT-REQUIRED'])).toMatchObject({ error: 'payment_already_used' });
    expect(body.error).toBe('Payment required');
  });

  it('behavior: without a chain of v1 its list is empty', () => {
    const chain = buildChain({ v1Network: undefined });
    expect(buildChallenge(buildResource([chain]), 'request-1').body.accepts).toEqual([]);
  });
});

describe('buildReceipt', () => {
  it('default: version 2', async () => {
    const payment = await buildPayment();
    const headers = buildReceipt(payment, { kind: 'settled', transaction });
    expect(Object.keys(headers)).toEqual(['PAYMENT-RESPONSE']);
    expect(decode(headers['PAYMENT-RESPONSE'])).toEqual({
      success: true,
      transaction,
      network: 'eip155:8453',
      payer: payment.authorization.from,
    });
  });

  it('behavior: version 1', async () => {
    const payment = { ...(await buildPayment()), version: 1, header: 'X-PAYMENT' } as const;
    const headers = buildReceipt(payment, { kind: 'refused', reason: 'invalid_exact_evm_signature' });
    expect(Object.keys(headers)).toEqual(['X-PAYMENT-RESPONSE']);
    expect(decode(headers['X-PAYMENT-RESPONSE'])).toEqual({
      success: false,
      errorReason: 'invalid_exact_evm_signature',
      transaction: '',
      network: 'base',
      payer: payment.authorization.from,
    });
  });
});
