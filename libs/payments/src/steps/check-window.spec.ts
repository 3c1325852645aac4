import { buildPayment } from '../../test/support/build-payment.js';
import { checkWindow } from './check-window.js';

const now = 1_795_000_000n;
const nowMs = Number(now) * 1000 + 999;
const before = 'invalid_exact_evm_payload_authorization_valid_before';
const after = 'invalid_exact_evm_payload_authorization_valid_after';

describe('checkWindow', () => {
  it.each([
    ['as clients of v2 sign', 0n, now + 120n, undefined],
    ['as clients of v1 sign', now - 600n, now + 60n, undefined],
    ['just long enough', 0n, now + 10n, undefined],
    ['too short', 0n, now + 9n, before],
    ['expired', 0n, now - 1n, before],
    ['a payer whose clock is ahead', 0n, now + 150n, undefined],
    ['for ten years', 0n, now + 315_360_000n, before],
    ['from now on', now, now + 60n, undefined],
    ['not yet', now + 1n, now + 60n, after],
  ])('behavior: valid %s', async (_, validAfter, validBefore, reason) => {
    expect(checkWindow(await buildPayment({ validAfter, validBefore }), nowMs)).toBe(reason);
  });
});
