import { TransactionPendingError } from '@yield-vault/protocol';
import { waitOrGiveUp, type Waiting } from './wait-or-give-up.js';

const pending = { detail: 'Not there yet.', details: { txHash: '0x01' } };
const buildWaiting = (overrides: Partial<Waiting> = {}): Waiting => ({
  deadlineMs: 1_000,
  pollMs: 1,
  now: () => 0,
  ...overrides,
});

describe('waitOrGiveUp', () => {
  it('default: pauses and returns', async () => {
    await expect(waitOrGiveUp(pending, buildWaiting(), 0)).resolves.toBeUndefined();
  });

  it('error: TransactionPendingError at the deadline, which names the dependency', async () => {
    const wait = waitOrGiveUp(pending, buildWaiting({ now: () => 1_000 }), 0);
    await expect(wait).rejects.toThrow(TransactionPendingError);
    await expect(wait).rejects.toMatchObject({ ...pending, retryAfterSeconds: 2 });
  });

  it('behavior: an abort ends a pause early, and the next one is refused', async () => {
    const controller = new AbortController();
    const waiting = buildWaiting({ pollMs: 60_000, signal: controller.signal });
    const paused = waitOrGiveUp(pending, waiting, 0);
    controller.abort();
    await expect(paused).resolves.toBeUndefined();
    await expect(waitOrGiveUp(pending, waiting, 1)).rejects.toThrow(TransactionPendingError);
  });
});
