import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProgram } from './cli/create-program.js';
import type { describeContracts } from './manifest.js';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const manifest = JSON.parse(read('manifest.json')) as ReturnType<typeof describeContracts>;

it('manifest.json is what `manifest` prints', async () => {
  const printed: string[] = [];
  const io = { out: (text: string) => void printed.push(text), note: () => undefined };
  await createProgram(io).parseAsync(['manifest'], { from: 'user' });
  expect(manifest).toEqual(JSON.parse(printed.join('')));
});

it('docs/addresses.md has the addresses and code hashes of the manifest', () => {
  const page = read('../../docs/addresses.md');
  for (const { address, codeHash } of Object.values(manifest.contracts)) {
    expect(page).toContain(`| \`${address}\` | \`${codeHash}\` |`);
  }
});
