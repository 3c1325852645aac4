import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = resolve(__dirname, '../../..');
const files = readdirSync(join(repository, 'config')).filter((name) => name.endsWith('.yaml'));
// Of the process, whatever the deployment file.
const own = ['YIELD_VAULT_CONFIG', 'LOG_LEVEL'];

const readme = readFileSync(join(repository, 'docs/configuration.md'), 'utf8');
const environment = readme.slice(0, readme.indexOf('## Proxies'));
const rows = [...environment.matchAll(/^\| (`[A-Z_]+`.*?) +\| (\S.*?) +\|/gm)].map(
  ([, names = '', where = '']) => ({
    variables: namesIn(names),
    isIn: isIn(where),
  }),
);

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([A-Z_]{4,})`/g)].map(([, name = '']) => name);
}

function isIn(where: string): (deployment: string) => boolean {
  if (where === 'every') return () => true;
  if (where === 'not local') return (deployment) => deployment !== 'local';
  return (deployment) => where.split(', ').includes(deployment);
}

function namedBy(file: string): string[] {
  const text = readFileSync(join(repository, 'config', file), 'utf8');
  const names = [...text.matchAll(/\$\{([A-Z_]+)(?::-[^}]*)?\}/g)].map(([, name = '']) => name);
  // In the comment that explains the form.
  return [...new Set(names)].filter((name) => name !== 'NAME').sort();
}

describe('docs/configuration.md', () => {
  it.each(files)('behavior: are exactly those that config/%s names, and two of the server itself', (file) => {
    const documented = rows
      .filter((row) => row.isIn(file.replace('.yaml', '')))
      .flatMap((row) => row.variables);
    expect(documented.filter((name) => !own.includes(name)).sort()).toEqual(namedBy(file));
  });

  it('behavior: every one that the text mentions is in the table', () => {
    const inTable = rows.flatMap((row) => row.variables);
    expect(namesIn(environment).filter((name) => !inTable.includes(name))).toEqual([]);
  });
});
