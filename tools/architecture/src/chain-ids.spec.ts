import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
/** What serves tests or shows an example may name a chain. */
const exempt =
  /^(libs\/(contracts\/src\/chains|testing)|tools|apps\/api\/src\/openapi)\/|\/generated\/|\.spec\.ts$/;

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return entry.name.endsWith('.ts') && !exempt.test(relative(root, path)) ? [path] : [];
  });
}

const files = ['apps', 'libs'].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => join(root, group, name, 'src'))
    .filter(existsSync)
    .flatMap(sources),
);

/** Comments and the examples of DTOs may name a chain. */
const codeOf = (file: string) =>
  readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .replace(/\bexample: \S+|e\.g\. \d+|ApiInteger\([^)]*\)/g, '');

const facts = join(root, 'libs/contracts/src/chains');
const ids = readdirSync(facts).flatMap((name) =>
  [...readFileSync(join(facts, name), 'utf8').matchAll(/chainId: ([\d_]+),/g)].map(([, id]) =>
    id!.replaceAll('_', ''),
  ),
);

describe('a chain is data', () => {
  it('behavior: no source file outside the facts of chains writes a chain id', () => {
    expect(ids.length).toBeGreaterThan(5);
    expect(files.length).toBeGreaterThan(500);
    // Short ids are ordinary numbers, too.
    const long = ids.filter((id) => id.length > 3).map((id) => [...id].join('_?'));
    const literal = new RegExp(`\\b(${long.join('|')})n?\\b|chainId(:| ===| !==) \\d`);
    expect(files.filter((file) => literal.test(codeOf(file))).map((file) => relative(root, file))).toEqual(
      [],
    );
  });
});
