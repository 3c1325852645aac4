import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { generatedFiles } from './generated-files.js';

const docs = resolve(__dirname, '../../../../docs');

describe('generatedFiles', () => {
  it.each(['openapi.json', 'errors.md'])(
    'behavior: docs/%s is current (npm run docs -w @yield-vault/api)',
    async (name) => {
      const files = await generatedFiles();
      expect(readFileSync(resolve(docs, name), 'utf8')).toBe(files[name]);
    },
  );
});
