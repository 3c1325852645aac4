import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

it('redocly and spectral report nothing about docs/openapi.json', async () => {
  const script = resolve(__dirname, '../../scripts/lint-docs.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe('');
});
