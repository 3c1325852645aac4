import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');

/** Names whose import lets a test start a process or a chain. */
const starters = {
  process: /\bfrom '(node:)?child_process'/,
  chain:
    /\b(startAnvil|startDevnet|startBundler|startForkService|createAnvilLauncher)\b[^;]*? from '|from '@yield-vault\/forks\/anvil'/,
};

function specs(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(node_modules|dist|out-tsc)$/.test(entry.name) ? [] : specs(path);
    return /\bspec\.ts$/.test(entry.name) ? [path] : [];
  });
}

/** The imports of a spec file, and of the helpers in `test/` that it imports. */
function importsOf(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return '';
  seen.add(file);
  const imports = readFileSync(file, 'utf8').match(/^import (?!type )[^;]*;/gm) ?? [];
  const helpers = imports.flatMap((line) => {
    const path = /from '(\.[^']*)\.js'/.exec(line)?.[1];
    const helper = path && `${resolve(dirname(file), path)}.ts`;
    return helper && /\/test\//.test(helper) && existsSync(helper) ? [helper] : [];
  });
  return [...imports, ...helpers.map((helper) => importsOf(helper, seen))].join('\n');
}

const files = ['apps', 'libs', 'tools'].flatMap((group) =>
  readdirSync(join(root, group)).flatMap((name) => {
    const project = join(root, group, name);
    return ['src', 'test']
      .map((folder) => join(project, folder))
      .filter(existsSync)
      .flatMap(specs);
  }),
);
const nameOf = (file: string) => relative(root, file);
const laneOf = (file: string) => /\.(chain|e2e|full)\.spec\.ts$/.exec(file)?.[1] ?? 'unit';
const inLane = (lane: string) => files.filter((file) => laneOf(file) === lane);

describe('the lane of a spec file', () => {
  it('default: is the last suffix of its name', () => {
    expect(files.length).toBeGreaterThan(400);
    const name = /\/[\da-z-]+(\.(module|guard|controller|pipe))?(\.(chain|e2e|full))?\.spec\.ts$/;
    expect(files.filter((file) => !name.test(file)).map(nameOf)).toEqual([]);
  });

  it('behavior: a unit test starts neither a process nor a chain', () => {
    const starting = inLane('unit').filter((file) =>
      Object.values(starters).some((starter) => starter.test(importsOf(file))),
    );
    expect(starting.map(nameOf)).toEqual([]);
  });

  it('behavior: a test on a chain starts one, and no other process', () => {
    const wrong = inLane('chain').filter((file) => {
      const imports = importsOf(file);
      return starters.process.test(imports) || !starters.chain.test(imports);
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });

  it('behavior: end-to-end tests are in apps/api-e2e, which has no other quick ones', () => {
    const isE2e = (file: string) => nameOf(file).startsWith('apps/api-e2e/');
    expect(
      files.filter((file) => (laneOf(file) === 'e2e') !== (isE2e(file) && laneOf(file) !== 'full')),
    ).toEqual([]);
  });
});
