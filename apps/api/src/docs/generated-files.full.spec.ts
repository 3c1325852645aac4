import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

it('the files generated from the wire types are current (npm run docs -w @yield-vault/api)', () => {
  const script = resolve(__dirname, '../../../../libs/protocol/scripts/generate-wire.mjs');
  expect(execFileSync(process.execPath, [script, '--list'], { encoding: 'utf8' })).toBe('');
});
