import { buildPayment } from '../../test/support/build-payment.js';
import { decode } from '../../test/support/sign-payment.js';
import { buildReceipt } from './build-receipt.js';

const transaction = `0x${'ab'.repeat(32)}` as const;

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
