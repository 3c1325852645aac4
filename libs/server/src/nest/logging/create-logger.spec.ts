import { createLogger } from './create-logger.js';

describe('createLogger', () => {
  const collect = (secrets: readonly string[]) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    return { lines, logger: createLogger({ level: 'info', secrets, destination }) };
  };

  it('default: one JSON object a line', () => {
    const { lines, logger } = collect([]);
    logger.info({ url: 'http://127.0.0.1:3000' }, 'listening');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 30,
      msg: 'listening',
      url: 'http://127.0.0.1:3000',
    });
  });

  it('behavior: masks secrets in messages, stacks and causes, also of child loggers', () => {
    const { lines, logger } = collect(['/v2/secret-key']);
    const cause = new Error('POST https://rpc.example.org/v2/secret-key failed');
    logger.child({ requestId: 'r' }).error({ err: new Error('outer', { cause }) }, 'failed');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('https://rpc.example.org[masked] failed');
    expect(lines[0]).not.toContain('secret-key');
  });
});
