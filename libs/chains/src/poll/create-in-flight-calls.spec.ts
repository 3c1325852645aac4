import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { createInFlightCalls } from './create-in-flight-calls.js';

describe('createInFlightCalls', () => {
  it('default: hands on answers and errors', async () => {
    const calls = createInFlightCalls('relay');
    await expect(calls.run(() => Promise.resolve('answer'))).resolves.toBe('answer');
    await expect(calls.run(() => Promise.reject(new TypeError('error')))).rejects.toThrow(TypeError);
    expect(calls.signal.aborted).toBe(false);
  });

  it('behavior: drain aborts open calls, and waits for them, also for one that fails', async () => {
    const calls = createInFlightCalls('relay');
    let fail!: (error: Error) => void;
    const waiting = new Promise<never>((_, reject) => (fail = reject));
    const call = calls.run(() => waiting).catch(() => 'failed');
    let isDrained = false;
    const drained = calls.drain().then(() => (isDrained = true));
    expect(calls.signal.aborted).toBe(true);
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    fail(new Error('ended'));
    await drained;
    expect(await call).toBe('failed');
  });

  it('error: UpstreamUnavailableError after drain, and nothing is done', async () => {
    const calls = createInFlightCalls('relay');
    await calls.drain();
    let isDone = false;
    const late = calls.run(async () => (isDone = true)).catch((error: unknown) => error);
    expect(await late).toBeInstanceOf(UpstreamUnavailableError);
    expect(await late).toMatchObject({ details: { dependency: 'relay' }, retryAfterSeconds: 5 });
    expect(isDone).toBe(false);
  });

  // Jest hides the warnings of Node from a test, and `getMaxListeners` does not know the signals of its realm.
  it('attack: the signal takes a listener of each waiting call without a warning', () => {
    const { signal } = createInFlightCalls('relay');
    const most = Object.getOwnPropertySymbols(signal).find(
      ({ description }) => description === 'events.maxEventTargetListeners',
    );
    expect(most && Reflect.get(signal, most)).toBe(0);
  });
});
