import { ForkNotRunningError } from '@yield-vault/protocol';
import { createDeadline } from './create-deadline.js';

const never = () => new Promise<never>(() => undefined);
const long = 60_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('createDeadline', () => {
  it('error: the time is up', async () => {
    const deadline = createDeadline(50, [undefined]);
    const race = expect(deadline.race(never())).rejects.toBeInstanceOf(ForkNotRunningError);
    jest.advanceTimersByTime(50);
    await race;
    expect([deadline.hasPassed(), deadline.signal.aborted]).toEqual([true, true]);
  });

  it('error: an abort passes its reason on', async () => {
    const caller = new AbortController();
    const reason = new Error('gone');
    const deadline = createDeadline(long, [new AbortController().signal, caller.signal]);
    const race = expect(deadline.race(never())).rejects.toBe(reason);
    caller.abort(reason);
    await race;
    await expect(deadline.race(never())).rejects.toBe(reason);
    expect(deadline.hasPassed()).toBe(false);
    deadline.clear();
  });

  it('behavior: cleared, it no longer listens', () => {
    const caller = new AbortController();
    const deadline = createDeadline(long, [caller.signal]);
    deadline.clear();
    caller.abort();
    expect(deadline.signal.aborted).toBe(false);
  });
});
