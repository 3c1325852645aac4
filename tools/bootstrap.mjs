// Entry of `npm run demo`, `npm start` and `npm test` on a fresh clone. Installs missing packages, builds, then runs the
// command. It imports no package, because none may be installed yet.
import { spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const leastNode = [20, 19];
const commands = { demo, start, test };

/** A failure that is printed without its stack. */
class Failure extends Error {}

const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stopRunning);

try {
  const command = commands[process.argv[2]];
  if (!command) throw new Failure(`Usage: node tools/bootstrap.mjs ${Object.keys(commands).join(' | ')}`);
  checkNode();
  checkAnvil();
  await install();
  // Exit explicitly, so that children of a failed command end too.
  process.exit(await command());
} catch (error) {
  console.error(error instanceof Failure ? error.message : error);
  process.exitCode = 1;
}

async function demo() {
  const given = process.argv.slice(3);
  const unknown = given.find((option) => option !== '--paid');
  if (unknown)
    throw new Failure(`Unknown option ${unknown}. The demo takes --paid: the agent then pays for its calls.`);
  await build();
  return (await launcher()).runDemo({ paid: given.includes('--paid') });
}

async function start() {
  await build();
  return (await launcher()).serve();
}

/** Checks types, lint and the direction of imports, and runs every test. */
async function test() {
  const projects = listProjects();
  const tested = projects.filter(hasTests);
  for (const project of tested) rmSync(summaryFile(project), { force: true });

  const isClean = await compileAndLint(projects);
  // Nx would start the end-to-end tests last, and then wait for them alone.
  const codes = await Promise.all([
    testWithNx('--projects=apps/*'),
    testWithNx('--projects=*', '--exclude=apps/*'),
  ]);
  return reportTests(tested, isClean && codes.every((code) => code === 0));
}

function testWithNx(...selection) {
  const options = ['--parallel=1', '--nxBail=false', '--excludeTaskDependencies'];
  return run('nx', ['run-many', '-t', 'test', ...selection, ...options], { stdio: 'inherit' });
}

/**
 * Compile all projects in one process and lint them in another, so that each reads every type once.
 *
 * @returns whether neither found an error
 */
async function compileAndLint(projects) {
  const title = 'Compiling and linting';
  const end = watch(title);
  const output = [];
  const check = (program, args, env) =>
    run(program, args, { stdio: ['ignore', 'pipe', 'pipe'], onOutput: (text) => output.push(text), env });
  // Creates the project graph; without it ESLint skips the rule on the direction of imports.
  await run('nx', ['show', 'projects'], { stdio: 'ignore' });
  const codes = await Promise.all([
    check('tsc', ['-b', ...projects]),
    // The types of all projects need more memory than Node's default on a small machine.
    check('eslint', ['apps', 'libs', 'tools'], { NODE_OPTIONS: '--max-old-space-size=4096' }),
  ]);
  console.log(`${title}: finished in ${end()}`);
  const passed = codes.every((code) => code === 0);
  if (!passed) console.error(output.join(''));
  return passed;
}

function reportTests(projects, checksPassed) {
  const sum = { passed: 0, failed: 0 };
  console.log('');
  for (const project of projects) {
    if (!existsSync(summaryFile(project))) {
      console.log(`${project}: its tests did not run`);
      sum.failed += 1;
      continue;
    }
    const { passed, failed } = JSON.parse(readFileSync(summaryFile(project), 'utf8'));
    if (failed > 0) console.log(`${project}: ${failed} failed`);
    sum.passed += passed;
    sum.failed += failed;
  }
  if (!checksPassed) console.log('A check failed; see the output above.');
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed > 0 || !checksPassed ? 1 : 0;
}

function listProjects() {
  return ['apps', 'libs', 'tools']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name)))
    .filter((project) => existsSync(join(root, project, 'tsconfig.json')));
}

/** The reporter of jest.preset.mjs writes a summary for each project with tests. */
function hasTests(project) {
  return existsSync(join(root, project, 'jest.config.mjs'));
}

function summaryFile(project) {
  return join(root, project, 'coverage', 'test-summary.json');
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])) return;
  throw new Failure(
    `Node ${process.versions.node} is too old. Install Node ${leastNode.join('.')} or later from https://nodejs.org/.`,
  );
}

/** npm has Anvil for Linux on x64 only; on other platforms it must be on the PATH or in ANVIL_BIN. */
function checkAnvil() {
  if (process.platform === 'linux' && process.arch === 'x64') return;
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'anvil'));
  if ([process.env.ANVIL_BIN, ...onPath].some(isExecutable)) return;
  throw new Failure(
    `npm has no Anvil for ${process.platform} on ${process.arch}. ` +
      'Install Foundry (https://getfoundry.sh), or set ANVIL_BIN to the binary.',
  );
}

function isExecutable(file) {
  if (!file) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function install() {
  const missing = findMissing();
  if (!missing) return;
  await showing(`Installing packages (${missing}); this can take some minutes`, 'npm', [
    'ci',
    '--no-audit',
    '--no-fund',
  ]);
}

/** Compare the lockfile with the packages that npm installed. */
function findMissing() {
  const installed = readPackages('node_modules/.package-lock.json');
  if (!installed) return 'none installed';
  const wanted = readPackages('package-lock.json') ?? {};
  const outdated = Object.entries(wanted).find(([path, { version, link, optional }]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return false;
    const there = installed[path];
    if (!there) return !optional; // Optional packages may belong to another platform.
    return !link && there.version !== version;
  });
  return outdated && `${outdated[0].replace(/^.*node_modules\//, '')} is missing or has another version`;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function build() {
  return showing('Building', 'nx', ['run-many', '-t', 'build', '--parallel=2']);
}

function launcher() {
  return import(pathToFileURL(join(root, 'tools/devnet/dist/launcher.js')).href);
}

/** Run a program and show its output only when it fails. */
async function showing(title, program, args) {
  let last = '';
  const end = watch(title, () => last);
  const output = [];
  const code = await run(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    onOutput: (text) => {
      output.push(text);
      last = /nx run (\S+)/.exec(text)?.[1] ?? last;
    },
  });
  const seconds = end();
  if (code !== 0) {
    keepLog(output);
    throw new Failure(
      `${output.join('')}\n${title} failed: ${program} ${args.join(' ')} exited with ${code}.`,
    );
  }
  console.log(`${title}: done in ${seconds}`);
}

/**
 * Print the progress of a step until it ends.
 *
 * @returns a function that ends the step and returns its duration
 */
function watch(title, detail = () => '') {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const onTerminal = process.stdout.isTTY;
  const print = () =>
    onTerminal
      ? process.stdout.write(`\r\x1b[2K${title} … ${seconds()}  ${detail()}`.slice(0, process.stdout.columns))
      : console.log(`${title} … ${seconds()}`);
  print();
  const timer = setInterval(print, onTerminal ? 250 : 15_000);
  return () => {
    clearInterval(timer);
    if (onTerminal) process.stdout.write('\r\x1b[2K');
    return seconds();
  };
}

function keepLog(output) {
  mkdirSync(join(root, '.local/logs'), { recursive: true });
  writeFileSync(join(root, '.local/logs/bootstrap.log'), output.join(''));
}

/** Run npm or a program of node_modules; resolves with its exit code. */
function run(program, args, { stdio, onOutput, env }) {
  const path = program === 'npm' ? 'npm' : join(root, 'node_modules/.bin', program);
  const child = spawn(path, args, {
    cwd: root,
    stdio,
    // npm and nx start more processes; a process group ends them together.
    detached: true,
    env: {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      // By default two clones of this repository share one cache.
      NX_CACHE_DIRECTORY: join(root, '.nx/cache'),
      ...env,
    },
  });
  running.add(child);
  child.stdout?.on('data', (chunk) => onOutput(chunk.toString()));
  child.stderr?.on('data', (chunk) => onOutput(chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Failure(`Cannot start ${program}: ${error.message}`)));
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
}

function stopRunning(signal) {
  for (const child of running) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      child.kill(signal);
    }
  }
  if (running.size > 0) process.exit(130);
}
