import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../manifest.json' with { type: 'json' };
import { createProgram } from './cli/create-program.js';

it('manifest.json is what `manifest` prints', async () => {
  const printed: string[] = [];
  const io = { out: (text: string) => void printed.push(text), note: () => undefined };
  await createProgram(io, {}).parseAsync(['manifest'], { from: 'user' });
  expect(manifest).toEqual(JSON.parse(printed.join('')));
});

it('docs/addresses.md has the addresses and code hashes of the manifest', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/addresses.md'), 'utf8');
  for (const { address, codeHash } of Object.values(manifest.contracts)) {
    expect(page).toContain(`| \`${address}\` | \`${codeHash}\` |`);
  }
});
