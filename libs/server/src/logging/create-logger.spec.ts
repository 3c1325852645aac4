import { createLogger, maskLine, nestLogger } from './create-logger.js';

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

describe('maskLine', () => {
  it('default: replaces every secret', () => {
    expect(maskLine(['/v2/key', 'hunter2'])('GET https://rpc/v2/key hunter2 hunter2')).toBe(
      'GET https://rpc[masked] [masked] [masked]',
    );
  });

  it('behavior: shortens signatures and signed transactions, keeps hashes and addresses', () => {
    const signature = `0x${'ab'.repeat(65)}`;
    const hash = `0x${'cd'.repeat(32)}`;
    const address = `0x${'12'.repeat(20)}`;
    const line = maskLine([])(`${signature} ${hash} ${address}`);
    expect(line).toBe(`0xabababab…[65 bytes] ${hash} ${address}`);
  });
});

describe('nestLogger', () => {
  it('default: start-up lines are debug lines, warnings and errors keep their level', () => {
    const lines: { level: number; msg: string; context: string }[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const nest = nestLogger(createLogger({ level: 'debug', secrets: [], destination }));
    nest.log('mapped', 'RouterExplorer');
    nest.warn('careful', 'Adapter');
    nest.error('failed', undefined, 'Injector');
    expect(lines.map(({ level, msg, context }) => [level, msg, context])).toEqual([
      [20, 'mapped', 'RouterExplorer'],
      [40, 'careful', 'Adapter'],
      [50, 'failed', 'Injector'],
    ]);
  });

  it('behavior: keeps stacks, causes and fields', () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const nest = nestLogger(createLogger({ level: 'debug', secrets: [], destination }));
    const thrown = new Error('outer', { cause: new Error('inner') });
    const { stack } = thrown;
    nest.error(thrown, stack, 'Handler');
    nest.error(thrown, stack);
    nest.error('failed', stack, 'Handler');
    nest.warn({ pool: 'full' }, 'Handler');
    const err = { stack: expect.stringContaining('inner') as string };
    expect(lines).toMatchObject([
      { msg: 'outer', context: 'Handler', err },
      { msg: 'outer', err },
      { msg: 'failed', context: 'Handler', stack },
      { pool: 'full', context: 'Handler' },
    ]);
    expect(lines[1]).not.toHaveProperty('context');
  });
});
