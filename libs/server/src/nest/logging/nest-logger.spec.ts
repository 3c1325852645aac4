import { createLogger } from './create-logger.js';
import { nestLogger } from './nest-logger.js';

describe('nestLogger', () => {
  it('default: start-up lines are debug lines, warnings and errors keep their level', () => {
    const lines: { level: number; msg: string; context: string }[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const nest = nestLogger(createLogger({ level: 'debug', secrets: [], destination }));
    nest.log('mapped', 'RouterExplorer');
    nest.warn('careful', 'Adapter');
    nest.error('failed', 'stack', 'Injector');
    expect(lines.map(({ level, msg, context }) => [level, msg, context])).toEqual([
      [20, 'mapped', 'RouterExplorer'],
      [40, 'careful', 'Adapter'],
      [50, 'failed', 'Injector'],
    ]);
  });
});
