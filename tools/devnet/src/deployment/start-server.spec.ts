import { readProgress } from './start-server.js';

describe('readProgress', () => {
  const line = (percent: number) =>
    JSON.stringify({ level: 30, chain: 'base', percent, secondsLeft: 13, msg: 'reading past hours' });

  it('default: the newest line that names a percentage', () => {
    const log = `${line(5)}\n${line(40)}\n{"level":30,"msg":"listening"}\n`;
    expect(readProgress(log)).toBe('base: reading past hours, 40 %, 13 s left');
  });

  it('behavior: a server without progress is starting', () => {
    expect(readProgress('')).toBe('starting');
    expect(readProgress('{"level":30,"msg":"sampling"}\n')).toBe('starting');
  });

  it('behavior: a line that is still being written waits', () => {
    expect(readProgress(`${line(5)}\n${line(40).slice(0, -2)}`)).toBe(
      'base: reading past hours, 5 %, 13 s left',
    );
  });
});
