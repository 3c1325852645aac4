import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

const root = resolve(__dirname, '../../..');
const folders = readdirSync(join(root, 'libs')).filter((name) => !isPrivate(join(root, 'libs', name)));

function isPrivate(folder: string): boolean {
  return (
    (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { private?: boolean }).private === true
  );
}

/** List what npm would publish of every library. `prepack` prints before the JSON. */
function pack(): Packed[] {
  const workspaces = folders.flatMap((name) => ['-w', join('libs', name)]);
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', ...workspaces], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Object.values(JSON.parse(output.slice(output.search(/^[[{]/m))) as Record<string, Packed>);
}

describe('published libraries', () => {
  const packed = pack();

  it('default: npm packs each of them', () => {
    expect(packed.map(({ name }) => name).sort()).toEqual(
      folders.map((name) => `@yield-vault/${name}`).sort(),
    );
  });

  it.each(packed)(
    'behavior: $name contains its documents, and neither tests nor build files',
    ({ files }) => {
      const paths = files.map(({ path }) => path);
      expect(paths).toEqual(
        expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'src/index.ts']),
      );
      expect(paths.filter((path) => /\.spec\.|\.tsbuildinfo$|^test\/|jest\.config/.test(path))).toEqual([]);
    },
  );

  it.each(folders)('behavior: the README of %s has the same chapters as every other', (folder) => {
    const readme = readFileSync(join(root, 'libs', folder, 'README.md'), 'utf8');
    const chapters = [...readme.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(chapters).toEqual(['Install', 'Use', 'Exports', 'Errors', 'Develop']);
  });
});
