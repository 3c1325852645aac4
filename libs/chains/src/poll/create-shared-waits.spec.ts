import { TransactionPendingError } from '@yield-vault/protocol';
import { createSharedWaits, type Wait } from './create-shared-waits.js';

const limits = { perIntent: 2, perWallet: 3, perClient: 4, joined: 5 };
const buildWait = (overrides: Partial<Wait> = {}): Wait => ({
  key: 'a',
  intent: 'a',
  wallet: '0xA',
  client: '10.0.0.1',
  pending: { detail: 'Not there yet.', details: { userOpHash: '0x01' } },
  ...overrides,
});

function setUp() {
  const join = createSharedWaits<string>(limits);
  const ends: ((result: string) => void)[] = [];
  const start = () => new Promise<string>((resolve) => ends.push(resolve));
  return { ends, wait: (overrides?: Partial<Wait>) => join(buildWait(overrides), start) };
}

describe('createSharedWaits', () => {
  it('default: calls with one key share one waiter, and the next call starts another', async () => {
    const { ends, wait } = setUp();
    const calls = [wait(), wait()];
    expect(ends).toHaveLength(1);
    ends.shift()!('done');
    expect(await Promise.all(calls)).toEqual([
      { isFirst: true, result: 'done' },
      { isFirst: false, result: 'done' },
    ]);
    const next = wait();
    ends.shift()!('done again');
    expect(await next).toEqual({ isFirst: true, result: 'done again' });
  });

  it('behavior: each call gets the error of the waiter, and its place is free again', async () => {
    const join = createSharedWaits<string>(limits);
    const fail = () => Promise.reject(new RangeError());
    for (const _ of [1, 2, 3]) {
      const calls = [join(buildWait(), fail), join(buildWait(), fail)];
      for (const call of calls) await expect(call).rejects.toThrow(RangeError);
    }
  });

  it.each([
    ['intent', 2, {}],
    ['wallet', 3, { wallet: '0xa' }],
    ['client', 4, { wallet: '' }],
  ])('error: TransactionPendingError at once above the limit of the %s', async (group, most, same) => {
    const { ends, wait } = setUp();
    const others = (index: number) => ({
      ...same,
      ...(group !== 'intent' && { key: `${index}`, intent: `${index}` }),
      ...(group === 'client' && { wallet: `${index}` }),
    });
    const waiting = Array.from({ length: most }, (_, index) => wait(others(index)));
    const started = ends.length;
    const above = wait(others(9));
    await expect(above).rejects.toThrow(TransactionPendingError);
    await expect(above).rejects.toMatchObject({
      detail: `Not there yet. ${most} calls of this ${group} wait already, so this one does not.`,
      details: { userOpHash: '0x01' },
    });
    expect(ends).toHaveLength(started);
    // Others wait as before.
    const other = wait({ key: 'b', intent: 'b', wallet: '0xb', client: '10.0.0.2' });
    for (const end of ends) end('done');
    expect(await Promise.all([...waiting, other])).toHaveLength(most + 1);
  });

  it('attack: above the limit of calls that joined, one more gets TransactionPendingError, and others start', async () => {
    const { ends, wait } = setUp();
    const intents = ['a', 'b', 'c', 'd', 'e', 'f'];
    const from = (key: string) => wait({ key, intent: key, wallet: key, client: undefined });
    const waiting = [...intents, ...intents.slice(0, limits.joined)].map(from);
    await expect(from('f')).rejects.toMatchObject({
      detail: 'Not there yet. 5 calls of this server wait already, so this one does not.',
    });
    waiting.push(from('g'));
    expect(ends).toHaveLength(7);
    for (const end of ends) end('done');
    expect(await Promise.all(waiting)).toHaveLength(12);
  });
});
