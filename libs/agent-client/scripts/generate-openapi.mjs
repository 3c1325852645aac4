// Writes src/generated/openapi.ts from docs/openapi.json; with --check it only says whether that is up to date.
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const source = new URL('../../../docs/openapi.json', import.meta.url);
const target = new URL('../src/generated/openapi.ts', import.meta.url);
const banner = '// Generated from docs/openapi.json by scripts/generate-openapi.mjs. Do not edit.\n\n';
const hex = ts.factory.createTypeReferenceNode('`0x${string}`');

const nodes = await openapiTypescript(source, {
  alphabetize: true,
  immutable: true,
  // A default of a request may be left out.
  defaultNonNullable: false,
  transform: (schema) => {
    // What may be added is ignored; without an index signature any interface fits.
    if (schema.properties && schema.additionalProperties === true) delete schema.additionalProperties;
    return schema.type === 'string' && schema.pattern?.startsWith('^0x') ? hex : undefined;
  },
});
const options = await resolveConfig(target.pathname);
const generated = await format(banner + astToString(nodes), { ...options, parser: 'typescript' });

if (process.argv.includes('--check')) {
  const committed = await readFile(target, 'utf8').catch(() => '');
  if (committed !== generated) {
    console.error('src/generated/openapi.ts is out of date: run "npm run generate -w libs/agent-client"');
    process.exitCode = 1;
  }
} else {
  await writeFile(target, generated);
}
