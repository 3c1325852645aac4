import { runUntilSignal } from './run-until-signal.js';

describe('runUntilSignal', () => {
  const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  afterEach(() => said.mockClear());
  afterAll(() => said.mockRestore());

  it('error: a setting that cannot be read is one sentence and code 1, not a crash', async () => {
    const code = await runUntilSignal(
      () => {
        throw new RangeError('PORT is "abc"');
      },
      () => Promise.resolve(),
    );
    expect([code, said.mock.calls]).toEqual([1, [['\nPORT is "abc"']]]);
  });

  it('behavior: still listens while it stops, so that nothing else ends the process', async () => {
    const listening: number[] = [];
    const stop = () => Promise.resolve(void listening.push(process.listenerCount('SIGINT')));
    const before = process.listenerCount('SIGINT');
    const code = await runUntilSignal(
      () => Promise.resolve({ stop } as never),
      (_, interrupted) => {
        process.emit('SIGINT');
        return interrupted.then(() => new Promise(() => undefined));
      },
    );
    expect([code, listening]).toEqual([130, [before + 1]]);
  });
});
