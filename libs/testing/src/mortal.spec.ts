import { KilledError, mortal, type Life } from './mortal.js';

function buildPort() {
  const done: string[] = [];
  const port = {
    name: 'ledger',
    write(entry: string): Promise<number> {
      done.push(entry);
      return Promise.resolve(done.length);
    },
  };
  return { port, done };
}

describe('mortal', () => {
  it.each([
    ['before', ['first']],
    ['after', ['first', 'second']],
  ] as const)('default: killed %s its second call takes effect', async (moment, expected) => {
    const { port, done } = buildPort();
    const life: Life = { left: 1, dead: false };
    const dying = mortal(port, life, moment);
    await expect(dying.write('first')).resolves.toBe(1);
    await expect(dying.write('second')).rejects.toThrow(KilledError);
    expect(done).toEqual(expected);
    expect(life.dead).toBe(true);
  });

  it('behavior: the dead do nothing more, through any port of the same process', async () => {
    const { port, done } = buildPort();
    const other = buildPort();
    const life: Life = { left: 0, dead: false };
    await expect(mortal(port, life, 'after').write('last')).rejects.toThrow(KilledError);
    await expect(mortal(other.port, life, 'after').write('more')).rejects.toThrow(KilledError);
    expect([done, other.done]).toEqual([['last'], []]);
  });

  it('behavior: a call that is answered when the process is dead already brings no response', async () => {
    let respond = (): void => undefined;
    const slow = { read: () => new Promise<void>((resolve) => (respond = resolve)) };
    const life: Life = { left: 5, dead: false };
    const reading = mortal(slow, life, 'before').read();
    life.dead = true;
    respond();
    await expect(reading).rejects.toThrow(KilledError);
  });

  it('behavior: properties that are no methods can be read', () => {
    const life: Life = { left: 0, dead: true };
    expect(mortal(buildPort().port, life, 'before').name).toBe('ledger');
  });
});
