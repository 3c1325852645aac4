// The way in: `npm run demo`, `npm start` and `npm test` call this on a fresh clone, with nothing but Node and npm
// there. Installs what is missing, builds, then hands over. Depends on nothing.
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

/** A failure whose message is all that there is to say. */
class Failure extends Error {}

const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stopRunning);

try {
  const command = commands[process.argv[2]];
  if (!command) throw new Failure(`Usage: node tools/bootstrap.mjs ${Object.keys(commands).join(' | ')}`);
  checkNode();
  checkAnvil();
  await install();
  // Explicitly: whatever a failure left running ends with this process.
  process.exit(await command());
} catch (error) {
  console.error(error instanceof Failure ? error.message : error);
  process.exitCode = 1;
}

async function demo() {
  const given = process.argv.slice(3);
  const unknown = given.find((option) => option !== '--paid');
  if (unknown)
    throw new Failure(`${unknown} is no option of the demo; --paid has the agent pay for its calls.`);
  await build();
  return (await launcher()).runDemo({ paid: given.includes('--paid') });
}

async function start() {
  await build();
  return (await launcher()).serve();
}

/** Everything that is checked: types, lint, direction of imports, and every test. */
async function test() {
  const projects = projectsWithTests();
  for (const project of projects) rmSync(summaryFile(project), { force: true });

  const isClean = await compileAndLint(projects);
  const code = await run('nx', ['run-many', '-t', 'typecheck', 'test', '--parallel=2', '--nxBail=false'], {
    stdio: 'inherit',
  });
  return reportTests(projects, isClean && code === 0);
}

/**
 * Compile in one process and lint in another: each reads every type once instead of once a project. Nx finds the
 * compiling done, or says what failed.
 *
 * @returns whether nothing is to be said about style and the direction of imports, which is a lint rule
 */
async function compileAndLint(projects) {
  const title = 'Compiling and linting';
  const end = watch(title);
  const output = [];
  // Has Nx keep the graph without which the rule on the direction of imports is skipped.
  await run('nx', ['show', 'projects'], { stdio: 'ignore' });
  const [, code] = await Promise.all([
    run('tsc', ['-b', ...projects], { stdio: 'ignore' }),
    run('eslint', ['apps', 'libs', 'tools'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      onOutput: (text) => output.push(text),
      // The types of everything are more than the memory that Node takes by itself on a small machine.
      env: { NODE_OPTIONS: '--max-old-space-size=4096' },
    }),
  ]);
  console.log(`${title}: ended after ${end()}`);
  if (code !== 0) console.error(output.join(''));
  return code === 0;
}

function reportTests(projects, allWell) {
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
  if (!allWell) console.log('Not all is well; what failed is said above.');
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed > 0 || !allWell ? 1 : 0;
}

/** Projects that have a spec file; jest.preset.mjs makes each of them leave a summary. */
function projectsWithTests() {
  return ['apps', 'libs', 'tools']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name)))
    .filter((project) => existsSync(join(root, project, 'jest.config.mjs')))
    .filter((project) => ['src', 'test'].some((folder) => hasSpec(join(root, project, folder))));
}

function hasSpec(folder) {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true }).some((file) => /[.-]spec\.ts$/.test(file));
}

function summaryFile(project) {
  return join(root, project, 'coverage', 'test-summary.json');
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])) return;
  throw new Failure(
    `Node ${leastNode.join('.')} or later is needed; this is ${process.versions.node}. See https://nodejs.org/`,
  );
}

/** The local chains are Anvils, which npm has for Linux on x64 alone; elsewhere `findAnvil` of libs/anvil looks here, too. */
function checkAnvil() {
  if (process.platform === 'linux' && process.arch === 'x64') return;
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'anvil'));
  if ([process.env.ANVIL_BIN, ...onPath].some(isExecutable)) return;
  throw new Failure(
    `Anvil is needed, and npm has none for ${process.platform} on ${process.arch}. ` +
      'Install Foundry (https://getfoundry.sh), or name the binary in ANVIL_BIN.',
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
  const missing = whatIsMissing();
  if (!missing) return;
  await showing(`Installing packages (${missing}); the first time takes a minute or more`, 'npm', [
    'ci',
    '--no-audit',
    '--no-fund',
  ]);
}

/** Compare the lockfile with what npm says it installed. */
function whatIsMissing() {
  const installed = readPackages('node_modules/.package-lock.json');
  if (!installed) return 'there are none';
  const wanted = readPackages('package-lock.json') ?? {};
  const outdated = Object.entries(wanted).find(([path, { version, link, optional }]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return false;
    const there = installed[path];
    if (!there) return !optional; // An optional package of another platform.
    return !link && there.version !== version;
  });
  return outdated && `${outdated[0].replace(/^.*node_modules\//, '')} is missing or another version`;
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

/** Run a program without its output, which is shown when it fails. */
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
      `${output.join('')}\n${title}: failed (${program} ${args.join(' ')} ended with ${code})`,
    );
  }
  console.log(`${title}: done in ${seconds}`);
}

/**
 * Say again and again that something is under way.
 *
 * @returns ends it, and says how long it took
 */
function watch(title, detail = () => '') {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const onTerminal = process.stdout.isTTY;
  const tell = () =>
    onTerminal
      ? process.stdout.write(`\r\x1b[2K${title} … ${seconds()}  ${detail()}`.slice(0, process.stdout.columns))
      : console.log(`${title} … ${seconds()}`);
  tell();
  const timer = setInterval(tell, onTerminal ? 250 : 15_000);
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
  const isWindows = process.platform === 'win32';
  const path = program === 'npm' ? 'npm' : join(root, 'node_modules/.bin', program);
  const child = spawn(path, args, {
    cwd: root,
    stdio,
    shell: isWindows,
    // A group of its own can be ended as a whole: npm and nx start more processes.
    detached: !isWindows,
    env: {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      // By default two clones of this repository would share one cache.
      NX_CACHE_DIRECTORY: join(root, '.nx/cache'),
      ...env,
    },
  });
  running.add(child);
  child.stdout?.on('data', (chunk) => onOutput(chunk.toString()));
  child.stderr?.on('data', (chunk) => onOutput(chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Failure(`${program} could not be started: ${error.message}`)));
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
