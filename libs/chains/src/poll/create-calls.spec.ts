import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { createCalls } from './create-calls.js';

describe('createCalls', () => {
  it('default: hands on answers and errors', async () => {
    const calls = createCalls('relay');
    await expect(calls.run(() => Promise.resolve('answer'))).resolves.toBe('answer');
    await expect(calls.run(() => Promise.reject(new TypeError('error')))).rejects.toThrow(TypeError);
    expect(calls.signal.aborted).toBe(false);
  });

  it('behavior: drain aborts open calls, and waits for them, also for one that fails', async () => {
    const calls = createCalls('relay');
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
    const calls = createCalls('relay');
    await calls.drain();
    let isDone = false;
    const late = calls.run(async () => (isDone = true)).catch((error: unknown) => error);
    expect(await late).toBeInstanceOf(UpstreamUnavailableError);
    expect(await late).toMatchObject({ details: { dependency: 'relay' }, retryAfterSeconds: 5 });
    expect(isDone).toBe(false);
  });
});
