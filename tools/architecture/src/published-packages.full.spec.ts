import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startAnvil, type AnvilProcess } from '@yield-vault/forks/anvil';
import { buildSync } from 'esbuild';
import ts from 'typescript';
import { install, sizeOf, typeCheck } from '../test/consumer.js';
import { publishToLocalRegistry, root, type Registry } from '../test/registry.js';
import { run } from '../test/run.js';

// Packing, publishing and installing take a minute on a quiet machine.
jest.setTimeout(240_000);

/** Newer than the version that this repository builds with. */
const viem = 'viem@2.57.20';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, unknown>>;
}

const manifests = readdirSync(join(root, 'libs'))
  .map((name) => JSON.parse(readFileSync(join(root, 'libs', name, 'package.json'), 'utf8')) as Manifest)
  .filter((manifest) => manifest.private !== true);
const modules = manifests.flatMap(({ name, exports }) =>
  Object.keys(exports)
    // The test helpers of the database need Jest.
    .filter((path) => !['./package.json', './testing'].includes(path))
    .map((path) => join(name, path)),
);

/** Examples that run alone. The others need the vaults or the bundler of a chain: apps/api-e2e runs them. */
const examples = manifests.flatMap(({ name }) => {
  const readme = readFileSync(join(root, name.replace('@yield-vault', 'libs'), 'README.md'), 'utf8');
  return [...readme.matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code]) => code!)
    .filter(
      (code) => !/^declare |createServer|createVaultDiscovery|rankVaults|createIntentBuilder/m.test(code),
    )
    .map((code, index) => ({ title: `${name} ${index + 1}`, code }));
});

const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;

describe('published packages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'yield-vault-packages-'));
  let registry: Registry;
  let anvil: AnvilProcess;
  let all: string;

  beforeAll(async () => {
    registry = await publishToLocalRegistry(folder);
    anvil = await startAnvil({ args: ['--chain-id', '8453'] });
    all = await install(registry, join(folder, 'all'), [viem, ...manifests.map(({ name }) => name)]);
  });
  afterAll(async () => {
    await anvil?.kill();
    await registry?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('default: each library stays small, and brings one viem', async () => {
    const sizes: Record<string, number> = {};
    const measure = async (name: string, packages: readonly string[]) => {
      const place = await install(registry, join(folder, name), packages);
      sizes[name] = megabytes(sizeOf(join(place, 'node_modules')));
    };
    await measure('viem', [viem]);
    for (const name of ['protocol', 'agent-client', 'vault-discovery', 'execution-relay'])
      await measure(name, [viem, `@yield-vault/${name}`]);
    sizes['all'] = megabytes(sizeOf(join(all, 'node_modules')));
    console.table(Object.fromEntries(Object.entries(sizes).map(([name, MB]) => [name, { MB }])));
    expect(sizes['protocol']! - sizes['viem']!).toBeLessThan(15);
    expect(sizes['vault-discovery']).toBeLessThan(120);
    const copies = readdirSync(all, { recursive: true, encoding: 'utf8' });
    expect(copies.filter((path) => path.endsWith('node_modules/viem/package.json'))).toHaveLength(1);
    expect(existsSync(join(folder, 'vault-discovery/node_modules/@yield-vault/database'))).toBe(false);
  });

  it.each(['node16', 'bundler'] as const)('behavior: an importer type checks with %s', (resolution) => {
    const file = join(all, `${resolution}.ts`);
    const imports = modules.map((name, index) => `import * as m${index} from '${name}';`);
    const signs = `import { signIntent, type VerifiedEnvelope } from '@yield-vault/agent-client';
import { privateKeyToAccount } from 'viem/accounts';
export const sign = (verified: VerifiedEnvelope) => signIntent(privateKeyToAccount('0x'), verified);`;
    writeFileSync(
      file,
      [...imports, `export { ${modules.map((_, index) => `m${index}`).join()} };`, signs].join('\n'),
    );
    const files = examples.map(({ title, code }) => {
      const example = join(all, `${title.replace(/\W+/g, '-')}.ts`);
      writeFileSync(example, code);
      return example;
    });
    expect(typeCheck([file, ...files], resolution)).toEqual([]);
    writeFileSync(file, "import { vaultIdOf } from '@yield-vault/protocol';\nvaultIdOf(1);\n");
    expect(typeCheck([file], resolution)).toHaveLength(1);
  });

  it('behavior: agent-client fits a browser', () => {
    const { outputFiles } = buildSync({
      stdin: { contents: "export * from '@yield-vault/agent-client';", resolveDir: all },
      ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'browser' },
    });
    const kilobytes = gzipSync(outputFiles[0]!.contents).length / 1_000;
    console.log(`agent-client: ${Math.round(kilobytes)} KB gzip in a browser`);
    expect(kilobytes).toBeLessThan(150);
  });

  it.each(examples)('behavior: the example of $title runs to its end', async ({ title, code }) => {
    const file = join(all, `${title.replace(/\W+/g, '-')}.js`);
    const { target, module } = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
    writeFileSync(file, ts.transpile(code, { target, module, verbatimModuleSyntax: true }));
    cpSync(join(root, 'config'), join(all, 'config'), { recursive: true });
    const names = ['BASE', 'ETHEREUM'].flatMap((chain) => [`${chain}_RPC_URL`, `${chain}_BUNDLER_URL`]);
    const env = Object.fromEntries(names.map((name) => [name, anvil.rpcUrl]));
    expect(await run(process.execPath, [file], all, env)).not.toBe('');
  });
});
