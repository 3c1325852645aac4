import { ForkNotRunningError } from '@yield-vault/protocol';
import { createDeadline } from './create-deadline.js';

const never = () => new Promise<never>(() => undefined);
const long = 60_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('createDeadline', () => {
  it('default: the work comes first', async () => {
    const deadline = createDeadline(long, []);
    await expect(deadline.race(Promise.resolve(7))).resolves.toBe(7);
    deadline.clear();
    expect([deadline.hasPassed(), jest.getTimerCount()]).toEqual([false, 0]);
  });

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

  it('behavior: a signal that is aborted already', () => {
    const deadline = createDeadline(long, [AbortSignal.abort('early')]);
    expect(deadline.signal.reason).toBe('early');
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
