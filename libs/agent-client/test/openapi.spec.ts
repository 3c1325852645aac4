import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

it('src/generated/openapi.ts is what docs/openapi.json says', () => {
  const script = join(__dirname, '../scripts/generate-openapi.mjs');
  expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow();
});
