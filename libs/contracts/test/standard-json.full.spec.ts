import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');

it('standard JSON: holds every source, and compiles to the shipped bytecode', () => {
  execFileSync(process.execPath, ['scripts/compile.mjs', '--standard-json'], { cwd: root });
  const { sources, settings } = JSON.parse(readFileSync(join(root, 'dist/standard-json.json'), 'utf8')) as {
    readonly sources: Readonly<Record<string, { readonly content: string }>>;
    readonly settings: { readonly evmVersion: string };
  };
  expect(Object.keys(sources)).toContain('src/account/YieldVaultAccount.sol');
  expect(Object.keys(sources)).toContain('@openzeppelin/contracts/account/Account.sol');
  expect(settings.evmVersion).toBe('prague');
});
