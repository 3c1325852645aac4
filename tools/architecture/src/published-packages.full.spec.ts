import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startAnvil, type AnvilProcess } from '@yield-vault/forks/anvil';
import { buildSync, transformSync } from 'esbuild';
import { install, sizeOf, typeCheck } from '../test/consumer.js';
import { publishToLocalRegistry, root, type Registry } from '../test/registry.js';
import { run } from '../test/run.js';

// Packing, publishing and installing take a minute on a quiet machine.
jest.setTimeout(240_000);

/** Newer than the version that this repository builds with. */
const viem = 'viem@2.57.20';
/** What it brings alone. */
const viemMegabytes = 45;

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
    .filter((code) => !/^declare |createServer|createVaultDiscovery|createIntentBuilder/m.test(code))
    .map((code, index) => ({ name: `${basename(name)}-${index + 1}`, code }));
});

const megabytesIn = (place: string) => Math.round(sizeOf(join(place, 'node_modules')) / 1e5) / 10;

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
    const [protocol, discovery] = await Promise.all(
      ['protocol', 'vault-discovery'].map((name) =>
        install(registry, join(folder, name), [viem, `@yield-vault/${name}`]),
      ),
    );
    const sizes = { protocol: megabytesIn(protocol!), 'vault-discovery': megabytesIn(discovery!) };
    console.table({ ...sizes, all: megabytesIn(all) });
    expect(sizes.protocol).toBeLessThan(viemMegabytes + 15);
    expect(sizes['vault-discovery']).toBeLessThan(120);
    const copies = readdirSync(all, { recursive: true, encoding: 'utf8' });
    expect(copies.filter((path) => path.endsWith('node_modules/viem/package.json'))).toHaveLength(1);
    expect(existsSync(join(discovery!, 'node_modules/@yield-vault/database'))).toBe(false);
  });

  it.each(['node16', 'bundler'] as const)('behavior: an importer type checks with %s', async (resolution) => {
    const imports = modules.map((name, index) => `import * as m${index} from '${name}';`);
    const signs = `import { signIntent, type VerifiedEnvelope } from '@yield-vault/agent-client';
import { privateKeyToAccount } from 'viem/accounts';
export const sign = (verified: VerifiedEnvelope) => signIntent(privateKeyToAccount('0x'), verified);`;
    const importer = [...imports, `export { ${modules.map((_, index) => `m${index}`).join()} };`, signs];
    const wrong = "import { vaultIdOf } from '@yield-vault/protocol';\nvaultIdOf(1);\n";
    const sources = [
      { name: 'importer', code: importer.join('\n') },
      { name: 'wrong', code: wrong },
      ...examples,
    ];
    for (const { name, code } of sources) writeFileSync(join(all, `${name}.ts`), code);
    const files = sources.map(({ name }) => `${name}.ts`);
    expect(await typeCheck(all, files, resolution)).toEqual([expect.stringContaining('wrong.ts')]);
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

  it('behavior: each example of a README runs to its end', async () => {
    cpSync(join(root, 'config'), join(all, 'config'), { recursive: true });
    const names = ['BASE', 'ETHEREUM'].flatMap((chain) => [`${chain}_RPC_URL`, `${chain}_BUNDLER_URL`]);
    const env = Object.fromEntries(names.map((name) => [name, anvil.rpcUrl]));
    const outputs = await Promise.all(
      examples.map(async ({ name, code }) => {
        writeFileSync(join(all, `${name}.js`), transformSync(code, { loader: 'ts', format: 'esm' }).code);
        return [name, await run(process.execPath, [`${name}.js`], all, env)];
      }),
    );
    expect(outputs.length).toBeGreaterThan(4);
    expect(outputs.filter(([, output]) => output === '')).toEqual([]);
  });
});
