import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
const bin = (name: string) => join(root, 'node_modules/.bin', name);
const env = { ...process.env, NX_DAEMON: 'false', FORCE_COLOR: '0' };

const projects = JSON.parse(
  execFileSync(bin('nx'), ['show', 'projects', '--json'], { cwd: root, env, encoding: 'utf8' }),
) as string[];
const tagOf = (library: string): string =>
  (
    JSON.parse(readFileSync(join(root, 'libs', library, 'package.json'), 'utf8')) as {
      nx: { tags: string[] };
    }
  ).nx.tags[0]!;

/** Lint some code as if it were the index of a library, and return what ESLint says. */
function lint(library: string, code: string): string {
  const index = join(root, 'libs', library, 'src/index.ts');
  const { stdout, stderr } = spawnSync(bin('eslint'), ['--stdin', '--stdin-filename', index], {
    cwd: root,
    env,
    encoding: 'utf8',
    input: code,
  });
  return stdout + stderr;
}

describe('dependency direction', () => {
  it('behavior: every library has a layer', () => {
    const libraries = ['protocol', 'contracts', 'chains', 'smart-account', 'database', 'vault-discovery'];
    expect(projects).toEqual(expect.arrayContaining(libraries));
    expect(tagOf('protocol')).toBe('layer:core');
    expect(tagOf('chains')).toBe('layer:platform');
    expect(tagOf('intent-builder')).toBe('layer:feature');
  });

  it('error: a feature that imports another feature', () => {
    const said = lint('positions', "import '@yield-vault/vault-discovery';\n");
    expect(said).toContain('@nx/enforce-module-boundaries');
    expect(said).toContain('can only depend on libs tagged with "layer:core", "layer:platform"');
  });

  it('error: a feature that imports the deployment file', () => {
    const said = lint('positions', "import '@yield-vault/deployment';\n");
    expect(said).toContain('can only depend on libs tagged with "layer:core", "layer:platform"');
  });

  it('error: a platform library that imports another platform library', () => {
    const said = lint('database', "import '@yield-vault/chains';\n");
    expect(said).toContain('can only depend on libs tagged with "layer:core"');
  });

  it('error: a core library that imports a library above it', () => {
    const said = lint('contracts', "import '@yield-vault/chains';\n");
    expect(said).toContain('Circular dependency between "contracts" and "chains"');
  });

  it('error: a library that imports NestJS', () => {
    const said = lint('positions', "import '@nestjs/common';\n");
    expect(said).toContain('"@nestjs/common"');
    expect(said).toContain('@nx/enforce-module-boundaries');
  });

  it('error: a library that reads the environment', () => {
    const said = lint('positions', 'export const port = process.env.PORT;\n');
    expect(said).toContain('Libraries take their settings as arguments');
  });

  it('error: instanceof with a class of viem', () => {
    const said = lint(
      'positions',
      "import { BaseError } from 'viem';\nexport const is = (e: unknown) => e instanceof BaseError;\n",
    );
    expect(said).toContain('use isNamed or findError of @yield-vault/protocol');
  });

  it('behavior: an allowed import passes', () => {
    const said = lint('positions', "import '@yield-vault/protocol';\n");
    expect(said).not.toContain('@nx/enforce-module-boundaries');
  });
});
