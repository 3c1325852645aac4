import { alreadyUsed, toReason } from './reasons.js';

describe('toReason', () => {
  it.each([
    ['a code', 'invalid_exact_evm_insufficient_balance', 'invalid_exact_evm_insufficient_balance'],
    ['the other name of a used nonce', 'nonce_already_used', alreadyUsed],
    ['nothing', undefined, 'payment_refused'],
    ['an empty text', '', 'payment_refused'],
    ['a text', 'HTTP request to https://rpc.example.com/key failed', 'payment_refused'],
    ['a text without blanks', 'https://rpc.example.com', 'payment_refused'],
    ['several lines', 'invalid_scheme\nkey', 'payment_refused'],
    ['a very long code', 'a'.repeat(81), 'payment_refused'],
    ['a fault of ours', 'invalid_exact_evm_token_name_mismatch', undefined],
    ['a fault of the facilitator', 'unexpected_settle_error', undefined],
    ['a node that failed', 'settle_exact_node_failure', undefined],
    ['a transfer that nobody saw mined', 'transaction_confirmation_timed_out', undefined],
    ['a transfer on its way', 'settlement_pending', undefined],
  ])('behavior: %s', (_, said, reason) => {
    expect(toReason(said)).toBe(reason);
  });
});
