// Writes docs/openapi.json and docs/errors.md from the built server. Build first: nx build api.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { generatedFiles } from '../dist/docs/generated-files.js';

const docs = resolve(import.meta.dirname, '../../../docs');
for (const [name, content] of Object.entries(await generatedFiles())) {
  writeFileSync(resolve(docs, name), content);
  process.stdout.write(`docs/${name}\n`);
}
