import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemporaryFolder } from './make-temporary-folder.js';

// No process has it: Linux counts to 2^22 at most.
const deadPid = 2 ** 22 + 1;

const compiled = join(__dirname, '../../../dist/server/anvil/make-temporary-folder.js');

describe('makeTemporaryFolder', () => {
  const parent = mkdtempSync(join(tmpdir(), 'temporary-folder-'));
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  it('default: a folder under the prefix, gone after remove', () => {
    const { path, remove } = makeTemporaryFolder(join(parent, 'new'), 'test-');
    expect(path.startsWith(join(parent, 'new', `test-${String(process.pid)}-`))).toBe(true);
    expect(existsSync(path)).toBe(true);
    remove();
    expect(existsSync(path)).toBe(false);
  });

  it('behavior: a kept folder outlives its process, and the next start removes it', () => {
    const make = `import('${compiled}').then((m) => console.log(m.makeTemporaryFolder('${parent}', 'kept-', { keep: true }).path))`;
    const path = execFileSync(process.execPath, ['-e', make], { encoding: 'utf8' }).trim();
    expect(existsSync(path)).toBe(true);
    makeTemporaryFolder(parent, 'kept-').remove();
    expect(existsSync(path)).toBe(false);
  });

  it('behavior: removes the folders of killed processes, and nothing else', () => {
    const [left, alive, foreign] = [
      `test-${String(deadPid)}-x`,
      `test-${String(process.pid)}-x`,
      'test-other',
    ];
    for (const name of [left, alive, foreign]) mkdirSync(join(parent, name));
    makeTemporaryFolder(parent, 'test-').remove();
    expect([left, alive, foreign].map((name) => existsSync(join(parent, name)))).toEqual([false, true, true]);
  });
});
