import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localContracts } from './address-book.js';
import { knownChains } from './chains/chains.js';
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

it('docs/addresses.md has the addresses and code hashes of the manifest, and those of each chain', () => {
  const page = read('../../docs/addresses.md').replaceAll(/ +/g, ' ');
  for (const { key, chainId, usdc, circlePaymaster } of knownChains) {
    const addresses = [usdc.address, localContracts(chainId).paymaster, circlePaymaster];
    expect(page).toContain(`| ${[key, chainId, ...addresses.map((each) => `\`${each}\``)].join(' | ')} |`);
  }
  for (const { address, codeHash } of Object.values(manifest.contracts)) {
    expect(page).toContain(`| \`${address}\` | \`${codeHash}\` |`);
  }
});
