import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../test/registry.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const shell = (script: string, input?: string) =>
  execFileSync('sh', ['-ec', script], { cwd: root, encoding: 'utf8', input, maxBuffer: 2 ** 24 }).trim();

const files = shell('git ls-files').split('\n');
const texts = files.filter(
  (path) => /(\.(md|mjs|json|ya?ml|tsx?)|file|run|pack)$/.test(path) && !isTest(path),
);
const executables = files.filter((path) => /^(apps|libs)\/[\w-]+\/bin\/[\w-]+\.js$/.test(path));
const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };

function isTest(path: string): boolean {
  return /\.(e2e-)?spec\.ts$|package-lock\.json$/.test(path);
}

/** The lines of a file that match, with its path. */
const linesWith = (pattern: RegExp, paths = texts) =>
  paths.flatMap((path) =>
    read(path)
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );

/** Copy what a stage of the Dockerfile has; `npm ls` replaces its `npm ci`, which needs a registry. */
function copyStage(folder: string, paths: string): void {
  shell(`tar -cf - -T - | tar -xf - -C ${folder}`, paths);
}

function copyDevnet(folder: string): void {
  expect(read('Dockerfile')).toContain('COPY --chown=node:node . .');
  const ignored = read('.dockerignore').split('\n').filter(Boolean);
  const isIgnored = (path: string) => ignored.some((name) => path === name || path.startsWith(`${name}/`));
  copyStage(folder, files.filter((path) => !isIgnored(path)).join('\n'));
}

function copyProduction(folder: string): void {
  const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
  const workspaces = /npm ci --omit=dev --omit=optional --ignore-scripts((?: +-w \S+)+)/.exec(
    dockerfile,
  )![1]!;
  const copied = /cp -a --parents (.+) \/tmp\/app\n/.exec(dockerfile)![1]!.replace(' node_modules ', ' ');
  const removal = /RUN cd \/tmp\/app && (.+)\n/.exec(dockerfile)![1]!;
  const packages = shell(`npm ls --omit=dev --omit=optional --all --parseable ${workspaces}`)
    .split('\n')
    .map((path) => relative(root, path))
    .filter(Boolean);
  copyStage(folder, [shell(`printf '%s\\n' ${copied}`), ...packages].join('\n'));
  shell(`cd ${folder} && ${removal}`);
}

describe('executables', () => {
  const [devnet, production] = ['devnet-', 'production-'].map((name) => mkdtempSync(join(tmpdir(), name)));
  beforeAll(() => {
    copyDevnet(devnet!);
    copyProduction(production!);
  }, 120_000);
  afterAll(() => {
    for (const folder of [devnet!, production!]) rmSync(folder, { recursive: true, force: true });
  });

  it('default: npx runs locked dependencies alone, and no command takes a name of ours from a registry', () => {
    const command = /\b(?:npx|npm exec|npm create)[\s'",[\]]+(?:-[\w-]+[\s'",]+)*([@\w/.-]+)/g;
    const run = new Set(texts.flatMap((path) => [...read(path).matchAll(command)].map(([, name]) => name!)));
    expect([...run].sort()).toEqual(['jest', 'nx']);
    expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(['jest', 'nx']));
    expect(linesWith(/npm (i|install|add) .*(?<![\w/@.-])@?yield-vault/)).toEqual([]);
  });

  it('behavior: documents, alerts, messages and usages name each executable by its path alone', () => {
    const bare = /(?<![\w/@.-])yield-vault(-(agent|contracts|mcp)(?!\.js|-)\b| (vaults|discard-chain))/;
    const prose = texts.filter((path) => !path.endsWith('package.json'));
    expect(linesWith(bare, prose)).toEqual([]);
    const path = /(?:apps|libs)\/[\w-]+\/bin\/[\w-]+\.js/g;
    const named = new Set(prose.flatMap((file) => read(file).match(path) ?? []));
    expect([...named].sort()).toEqual(executables.sort());
  });

  it.each([...executables, 'tools/bootstrap/main.mjs'])(
    'behavior: %s runs in its stage of the image without a registry',
    (path) => {
      const cwd = path.startsWith('tools') ? devnet : production;
      const env = { PATH: process.env['PATH'], npm_config_registry: 'http://127.0.0.1:1' };
      const { stdout, stderr } = spawnSync(process.execPath, [path, '--help'], {
        cwd,
        encoding: 'utf8',
        env,
      });
      expect(stdout + stderr).toContain(`Usage: node ${path} `);
    },
  );

  it('behavior: the production image has at most 200 MB, without compilers, Anvil, sources and tests', () => {
    expect(Number.parseInt(shell(`du -sm ${production}`))).toBeLessThanOrEqual(200);
    const unwanted = String.raw`.*/(typescript|solc|anvil-[^/]*|libs/testing|.*\.(sol|d\.ts|map)|(apps|libs)/.*\.spec\.js)`;
    expect(shell(`find ${production} -regextype egrep -regex '${unwanted}'`)).toBe('');
  });

  it('behavior: the production image has each program that the examples start from it', () => {
    const examples = [
      'docker-compose.yml',
      'config/production/compose.yaml',
      'config/production/kubernetes.yaml',
    ];
    const programs = examples.flatMap((file) =>
      [...read(file).matchAll(/apps\/[\w/.-]+\.js/g)].map(([path]) => path),
    );
    expect(programs.length).toBeGreaterThan(3);
    expect(programs.filter((path) => !existsSync(join(production!, path)))).toEqual([]);
  });
});
