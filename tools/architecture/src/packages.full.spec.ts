import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly repository: { readonly url: string; readonly directory: string };
}

const root = resolve(__dirname, '../../..');
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
const manifestOf = (folder: string) => JSON.parse(read(folder, 'package.json')) as Manifest;
const published = ['apps', 'libs']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name)))
  .filter((folder) => manifestOf(folder).private !== true);
const libraries = published.filter((folder) => folder.startsWith('libs/'));

/** List what npm would publish, where it runs no scripts. */
function pack(): Packed[] {
  const workspaces = published.flatMap((folder) => ['-w', folder]);
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', ...workspaces], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Object.values(JSON.parse(output) as Record<string, Packed>);
}

describe('published packages', () => {
  const packed = pack();

  it('default: npm packs each of them', () => {
    expect(packed.map(({ name }) => name).sort()).toEqual(
      published.map((folder) => manifestOf(folder).name).sort(),
    );
  });

  it.each(packed)(
    'behavior: $name contains its documents, and neither tests nor build files',
    ({ files }) => {
      const paths = files.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']));
      expect(paths.some((path) => path.startsWith('src/'))).toBe(true);
      expect(paths.filter((path) => /\.spec\.|\.tsbuildinfo$|^test\/|jest\.config/.test(path))).toEqual([]);
    },
  );

  it.each(published)(
    'behavior: %s has the license, and the repository that its provenance must name',
    (folder) => {
      expect(read(folder, 'LICENSE')).toBe(read('LICENSE'));
      const url = 'git+https://github.com/yield-vault/yield-vault-service.git';
      expect(manifestOf(folder).repository).toMatchObject({ url, directory: folder });
    },
  );

  it.each(libraries)('behavior: the README of %s has the same chapters as every other', (folder) => {
    const chapters = [...read(folder, 'README.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(chapters).toEqual(['Install', 'Use', 'Exports', 'Errors', 'Develop']);
  });
});
