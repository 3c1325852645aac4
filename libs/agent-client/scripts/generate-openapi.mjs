// Writes src/generated from docs/openapi.json; with --check it only says whether that is up to date.
import { readFile, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { answersOf } from './answers-of.mjs';
import { typesOf } from './types-of.mjs';

const source = new URL('../../../docs/openapi.json', import.meta.url);
const banner = '// Generated from docs/openapi.json by scripts/generate-openapi.mjs. Do not edit.\n\n';
const document = JSON.parse(await readFile(source, 'utf8'));
const files = { 'openapi.ts': await typesOf(source), 'answers.ts': answersOf(document) };

for (const [name, text] of Object.entries(files)) {
  const target = new URL(`../src/generated/${name}`, import.meta.url);
  const options = await resolveConfig(target.pathname);
  const generated = await format(banner + text, { ...options, parser: 'typescript' });
  if (!process.argv.includes('--check')) {
    await writeFile(target, generated);
    continue;
  }
  const committed = await readFile(target, 'utf8').catch(() => '');
  if (committed !== generated) {
    console.error(`src/generated/${name} is out of date: run "npm run generate -w libs/agent-client"`);
    process.exitCode = 1;
  }
}
