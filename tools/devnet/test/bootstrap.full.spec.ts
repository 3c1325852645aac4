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
    // Any program passes as Anvil.
    const env = { ...process.env, PATH: path, ANVIL_BIN: process.execPath, ...variables };
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
    expect(errors).toContain('demo | start | test | test:full');
  });

  describe('Anvil', () => {
    const { version } = jest.requireActual<{ version: string }>('@foundry-rs/anvil-linux-amd64/package.json');
    /** The script on another machine, without the programs of this one's PATH. */
    const on = (platform: string, arch: string) => {
      const machine = `Object.defineProperties(process,{platform:{value:'${platform}'},arch:{value:'${arch}'}})`;
      return {
        NODE_OPTIONS: `--import=data:text/javascript,${machine}`,
        PATH: [join(root, 'bin'), '/bin'].join(delimiter),
        ANVIL_BIN: '',
      };
    };
    const install = (platform: string) =>
      `install --prefix .local/anvil-${version} --no-save --no-audit --no-fund @foundry-rs/anvil-${platform}@${version}`;
    const local = (platform: string) =>
      `.local/anvil-${version}/node_modules/@foundry-rs/anvil-${platform}/bin/anvil`;

    beforeEach(() => {
      const optionalDependencies = { '@foundry-rs/anvil-linux-amd64': version };
      write('package.json', JSON.stringify({ optionalDependencies }));
      write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
      program('bin/npm', 0);
      program('node_modules/.bin/nx', 4, 'echo "with [$ANVIL_BIN]" >> calls');
    });

    it('default: npm installs and runs the package of this platform', async () => {
      rmSync(join(root, 'bin/npm'));
      program('node_modules/.bin/nx', 4, '"$ANVIL_BIN" --version');
      const path = [dirname(process.execPath), '/bin'].join(delimiter);
      const { lines, errors } = await run('start', { PATH: path, ANVIL_BIN: '' });
      expect(lines.join()).toContain(
        `Installing Anvil ${version} for linux-amd64 in .local/anvil-${version}`,
      );
      expect(errors).toContain(`Version: ${version}`);
      expect(existsSync(join(root, local('linux-amd64')))).toBe(true);
    }, 60_000);

    it.each([
      ['darwin', 'arm64', 'darwin-arm64'],
      ['linux', 'arm64', 'linux-arm64'],
    ])('behavior: asks npm once for the package of %s on %s', async (platform, arch, name) => {
      await run('start', on(platform, arch));
      write(local(name), '', 0o755);
      await run('start', on(platform, arch));
      const build = ['run-many -t build --parallel=2', `with [${join(root, local(name))}]`];
      expect(calls()).toEqual([install(name), ...build, ...build]);
    });

    it('error: npm has none for the platform; nothing is installed', async () => {
      const { code, errors } = await run('start', on('freebsd', 'riscv64'));
      expect([code, calls()]).toEqual([1, []]);
      expect(errors).toContain('freebsd on riscv64');
      expect(errors).toContain('ANVIL_BIN');
    });

    it.each([
      ['on the PATH', 'bin/anvil', {}],
      ['in ANVIL_BIN', 'foundry/anvil', { ANVIL_BIN: 'foundry/anvil' }],
      ['of the lockfile', 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', {}],
    ])('behavior: continues with one %s', async (_, path, variables) => {
      program(path, 0);
      const { ANVIL_BIN = '' } = variables as { ANVIL_BIN?: string };
      await run('start', { ...on('linux', 'x64'), ...variables });
      expect(calls()).toEqual(['run-many -t build --parallel=2', `with [${ANVIL_BIN}]`]);
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
    /** Let Jest leave a summary of each project. */
    const jest = (summaries: Readonly<Record<string, string>>) => {
      for (const [path, summary] of Object.entries(summaries)) write(`${path}/summary`, summary);
      const leave = 'if [ -f summary ]; then mkdir -p coverage; cp summary coverage/test-summary.json; fi';
      program('node_modules/.bin/jest', 0, `${leave}\necho "lane $TEST_LANE"`);
    };
    const checks = ['nx', '../typescript-7/bin/tsc', 'eslint', 'prettier', 'cspell', 'solhint', 'knip'];
    const three = '{"passed":3,"failed":0}';
    const four = '{"passed":4,"failed":0}';

    beforeEach(() => {
      write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
      project('libs/one');
      project('apps/api-e2e');
      for (const name of checks) program(`node_modules/.bin/${name}`, 0);
      write('libs/without-tests/tsconfig.json', '{}');
      jest({ 'libs/one': three, 'apps/api-e2e': four });
    });

    it.each([
      ['test', 'quick'],
      ['test:full', 'full'],
    ])('default: %s adds up the results of every project, in the lane %s', async (command, lane) => {
      const { code, lines } = await run(command);
      expect([code, lines.at(-1)]).toEqual([0, '7 passed, 0 failed']);
      expect(lines.filter((line) => line === `lane ${lane}`)).toHaveLength(2);
    });

    it.each(checks)('behavior: fails when only %s does, and shows it', async (name) => {
      program(`node_modules/.bin/${name}`, 1);
      const { code, lines } = await run('test');
      expect([code, lines.at(-1)]).toEqual([1, '7 passed, 0 failed']);
      expect(lines).toEqual(
        expect.arrayContaining([expect.stringContaining(`said by node_modules/.bin/${name}`)]),
      );
    });

    it('behavior: fails with the tests', async () => {
      jest({ 'libs/one': '{"passed":3,"failed":2}' });
      const { code, lines } = await run('test');
      expect([code, lines.at(-1)]).toEqual([1, '7 passed, 2 failed']);
    });

    it('behavior: a project without new results did not pass', async () => {
      rmSync(join(root, 'apps/api-e2e/summary'));
      write('apps/api-e2e/coverage/test-summary.json', four);
      const { code, lines } = await run('test');
      expect([code, lines.at(-1)]).toEqual([1, '3 passed, 1 failed']);
    });
  });
});
