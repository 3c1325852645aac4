import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDailyTotal } from './daily-total.js';

const hourMs = 3_600_000;
const newFile = () => join(mkdtempSync(join(tmpdir(), 'daily-')), 'state', 'total.jsonl');
let now = 0;
const open = (stateFile: string, maxDaily: Record<string, string> = { USDC: '100' }) =>
  createDailyTotal({ maxDaily, stateFile }, () => now);
const exceeded = expect.objectContaining({ code: 'MAX_DAILY_EXCEEDED' }) as Error;

beforeEach(() => (now = Date.now()));

it('default: deposits of one asset count together, over restarts, for 24 hours', () => {
  const file = newFile();
  open(file)('USDC', '60');
  now += hourMs;
  open(file)('usdc', '40.000000');
  expect(() => open(file)('USDC', '0.000001')).toThrow(exceeded);
  now += 23 * hourMs;
  open(file)('USDC', '60');
  expect(() => open(file)('USDC', '0.000001')).toThrow(exceeded);
});

it('behavior: each asset has its own limit, and an asset without a limit none to spend', () => {
  const spend = open(newFile(), { USDC: '100', WETH: '0.5' });
  spend('USDC', '100');
  spend('WETH', '0.5');
  expect(() => spend('WETH', '0.000000000000000001')).toThrow(exceeded);
  expect(() => spend('DAI', '1')).toThrow(exceeded);
});

it('behavior: a deposit that is given back, or refused, does not count', () => {
  const spend = open(newFile());
  const giveBack = spend('USDC', '100');
  expect(() => spend('USDC', '1')).toThrow(exceeded);
  giveBack();
  spend('USDC', '100');
});

it('behavior: processes that share a file never exceed the limit', async () => {
  const file = newFile();
  const program = `
    const { createDailyTotal } = await import(process.argv[1]);
    const spend = createDailyTotal({ maxDaily: { USDC: '20' }, stateFile: process.argv[2] });
    let spent = 0;
    for (let each = 0; each < 12; each++) try { spend('USDC', '1'); spent++; } catch (error) { if (error.code !== 'MAX_DAILY_EXCEEDED') throw error; }
    console.log(spent);`;
  const built = join(__dirname, '../../dist/key/daily-total.js');
  const run = async () => {
    const args = ['--input-type=module', '--eval', program, built, file];
    return Number((await promisify(execFile)(process.execPath, args)).stdout);
  };
  const spent = await Promise.all([run(), run(), run()]);
  expect(spent.reduce((sum, each) => sum + each)).toBeGreaterThan(12);
  expect(spent.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(20);
});

it.each(['{"id"', 'x\n', '{"id":"1","at":1,"asset":"USDC","amount":"1"}\n'])(
  'error: a damaged file, %j, is refused',
  (text) => {
    const file = newFile();
    open(file)('USDC', '1');
    appendFileSync(file, text);
    const unusable = expect.objectContaining({ code: 'STATE_FILE_UNUSABLE' }) as Error;
    expect(() => open(file)('USDC', '1')).toThrow(unusable);
    expect(() => open(join(file, 'total'))('USDC', '1')).toThrow(unusable);
  },
);
