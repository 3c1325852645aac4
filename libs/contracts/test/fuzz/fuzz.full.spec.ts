import { spawn } from 'node:child_process';
import { join } from 'node:path';

const tests = join(import.meta.dirname, '..');

/** Run a script to its end; its output shows the seed, the counts and what failed. */
function run(script: string, ...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(tests, script), ...args]);
  let output = '';
  const collect = (text: Buffer) => (output += text.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((done) => child.on('close', (code) => done({ code, output })));
}

describe('fuzz', () => {
  it('every invariant holds with a new seed', async () => {
    const { code, output } = await run('fuzz/run.mjs', '--steps', '10000');
    console.log(output);
    expect(code).toBe(0);
  }, 300_000);

  it('each invariant fails for a contract that breaks it', async () => {
    const { code, output } = await run('fuzz/variants.mjs');
    console.log(output);
    expect(code).toBe(0);
  }, 600_000);
});
