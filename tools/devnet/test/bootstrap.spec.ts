import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const scripts = join(__dirname, '../../bootstrap');

/** A repository in small: the script, a lockfile, and programs that only note how they were called. */
describe('bootstrap', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'bootstrap-'));
    cpSync(scripts, join(root, 'tools/bootstrap'), { recursive: true });
    for (const group of ['apps', 'libs']) mkdirSync(join(root, group));
    write('package-lock.json', JSON.stringify({ packages: lockfile }));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  const lockfile = {
    '': {},
    'libs/own': { version: '1.0.0' },
    'node_modules/own': { link: true },
    'node_modules/used': { version: '1.2.3' },
    'node_modules/other-platform': { version: '1.0.0', optional: true },
  };
  const installed = { 'node_modules/own': { link: true }, 'node_modules/used': { version: '1.2.3' } };

  function write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  }

  /** Put a program in place that notes its arguments, runs `body`, and ends with `code`. */
  const program = (path: string, code: number, body = ''): void =>
    write(
      path,
      `#!/bin/sh\necho "$@" >> calls\necho "said by ${path}"\n${body}\nexit ${String(code)}\n`,
      0o755,
    );
  const calls = (): string[] =>
    existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : [];

  function run(
    command: string,
    variables: Record<string, string> = {},
  ): Promise<{ code: number; lines: string[]; errors: string }> {
    const path = [join(root, 'bin'), process.env['PATH']].join(delimiter);
    const env = { ...process.env, PATH: path, ...variables };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        ['tools/bootstrap/main.mjs', command],
        { cwd: root, env },
        (error, stdout, stderr) => {
          resolve({
            code: error ? Number(error.code) : 0,
            lines: stdout.trimEnd().split('\n'),
            errors: stderr,
          });
        },
      );
    });
  }

  it('error: an unknown command', async () => {
    const { code, errors } = await run('nothing');
    expect(code).toBe(1);
    expect(errors).toContain('demo | start | test');
  });

  describe('where npm has no Anvil', () => {
    const processor = "data:text/javascript,Object.defineProperty(process,'arch',{value:'arm64'})";
    const elsewhere = () => ({
      NODE_OPTIONS: `--import=${processor}`,
      PATH: join(root, 'bin'),
      ANVIL_BIN: '',
    });
    beforeEach(() => program('bin/npm', 3));

    it('error: none is there; nothing is installed', async () => {
      const { code, errors } = await run('start', elsewhere());
      expect([code, calls()]).toEqual([1, []]);
      expect(errors).toContain('arm64');
      expect(errors).toContain('ANVIL_BIN');
    });

    it.each([
      ['on the PATH', 'bin/anvil', {}],
      ['in ANVIL_BIN', 'foundry/anvil', { ANVIL_BIN: 'foundry/anvil' }],
    ])('behavior: continues with one %s', async (_, path, variables) => {
      program(path, 0);
      await run('start', { ...elsewhere(), ...variables });
      expect(calls()).toEqual(['ci --no-audit --no-fund']);
    });
  });

  it('default: installs when there are no packages, and says why it could not', async () => {
    program('bin/npm', 3);
    const { code, lines, errors } = await run('start');
    expect(code).toBe(1);
    expect(calls()).toEqual(['ci --no-audit --no-fund']);
    expect(lines[0]).toContain('Installing packages (none installed)');
    expect(errors).toContain('said by bin/npm');
    expect(errors).toContain('exited with 3');
  });

  it.each([
    ['a package is missing', { 'node_modules/own': { link: true } }],
    ['a package has another version', { ...installed, 'node_modules/used': { version: '1.2.2' } }],
    ['a workspace is not linked', { 'node_modules/used': { version: '1.2.3' } }],
  ])('behavior: installs when %s', async (_, packages) => {
    write('node_modules/.package-lock.json', JSON.stringify({ packages }));
    program('bin/npm', 3);
    await run('start');
    expect(calls()).toHaveLength(1);
  });

  it('behavior: continues when everything is present; a build that fails is shown', async () => {
    write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
    program('bin/npm', 3);
    program('node_modules/.bin/nx', 4);
    const { code, errors } = await run('demo');
    expect(code).toBe(1);
    expect(calls()).toEqual(['run-many -t build --parallel=2']);
    expect(errors).toContain('said by node_modules/.bin/nx');
  });

  describe('test', () => {
    const project = (path: string) => {
      write(`${path}/jest.config.mjs`, '');
      write(`${path}/tsconfig.json`, '{}');
    };
    const leave = (path: string, passed: number, failed: number) =>
      `mkdir -p ${path}/coverage && echo '{"passed":${String(passed)},"failed":${String(failed)}}' > ${path}/coverage/test-summary.json`;

    beforeEach(() => {
      write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
      project('libs/one');
      project('apps/two');
      program('node_modules/.bin/tsc', 0);
      program('node_modules/.bin/eslint', 0);
      write('libs/without-tests/tsconfig.json', '{}');
    });

    it('default: adds up the results of every project', async () => {
      program('node_modules/.bin/nx', 0, [leave('libs/one', 3, 0), leave('apps/two', 4, 0)].join('\n'));
      const { code, lines } = await run('test');
      expect([code, lines.at(-1)]).toEqual([0, '7 passed, 0 failed']);
    });

    it('behavior: compiles and lints everything at once, then tests apps beside the others', async () => {
      program('node_modules/.bin/nx', 0, [leave('libs/one', 3, 0), leave('apps/two', 4, 0)].join('\n'));
      const { code } = await run('test');
      const [graph, ...rest] = calls();
      const options = '--parallel=1 --nxBail=false --excludeTaskDependencies';
      expect([code, graph]).toEqual([0, 'show projects']);
      expect(rest.slice(0, 2).sort()).toEqual(['-b apps/two libs/one libs/without-tests', 'apps libs tools']);
      expect(rest.slice(2).sort()).toEqual([
        `run-many -t test --projects=* --exclude=apps/* ${options}`,
        `run-many -t test --projects=apps/* ${options}`,
      ]);
    });

    it.each(['eslint', 'tsc'])('behavior: fails when only %s does, and shows it', async (name) => {
      program(`node_modules/.bin/${name}`, 1);
      program('node_modules/.bin/nx', 0, [leave('libs/one', 3, 0), leave('apps/two', 4, 0)].join('\n'));
      const { code, lines, errors } = await run('test');
      expect([code, lines.at(-1)]).toEqual([1, '7 passed, 0 failed']);
      expect(errors).toContain(`said by node_modules/.bin/${name}`);
    });

    it('behavior: fails with the tests', async () => {
      program('node_modules/.bin/nx', 1, [leave('libs/one', 3, 2), leave('apps/two', 4, 0)].join('\n'));
      const { code, lines } = await run('test');
      expect([code, lines.at(-1)]).toEqual([1, '7 passed, 2 failed']);
    });

    it('behavior: a project without new results did not pass', async () => {
      write('apps/two/coverage/test-summary.json', '{"passed":4,"failed":0}');
      program('node_modules/.bin/nx', 0, leave('libs/one', 3, 0));
      const { code, lines } = await run('test');
      expect([code, lines.at(-1)]).toEqual([1, '3 passed, 1 failed']);
    });
  });
});
