import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = resolve(__dirname, '../../../..');
const readme = readFileSync(join(repository, 'apps/api/README.md'), 'utf8');
const table = readme.slice(readme.indexOf('## Environment'), readme.indexOf('## Forks'));

const named = readdirSync(join(repository, 'config'))
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => [
    ...readFileSync(join(repository, 'config', name), 'utf8').matchAll(/\$\{([A-Z_]+)(?::-[^}]*)?\}/g),
  ])
  .map(([, name = '']) => name)
  // In the comment that explains the form.
  .filter((name) => name !== 'NAME');

describe('the variables of the README', () => {
  it('behavior: are exactly those that the deployment files name, and two of the server itself', () => {
    const documented = [...table.matchAll(/`([A-Z_]{4,})`/g)].map(([, name]) => name);
    const own = ['YIELD_VAULT_CONFIG', 'LOG_LEVEL'];
    expect([...new Set(documented)].sort()).toEqual([...new Set([...named, ...own])].sort());
  });
});
