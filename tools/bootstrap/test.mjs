import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';

/** What runs longest starts first, so that all end together. The others follow in any order. */
const longestFirst = [
  'apps/api-e2e',
  'tools/devnet',
  'apps/operator',
  'apps/api',
  'libs/intent-builder',
  'libs/forks',
];
/** Their tests measure no time, so they may wait for the processor. */
const patient = ['libs/contracts', 'tools/architecture'];
// It leaves them a quarter of a core at the least.
const lowPriority = 5;
// A program that hangs fails with its name, not with the whole check.
const limitMs = { tests: 70 * 60_000, check: 20 * 60_000 };
const solhintConfig = 'libs/contracts/solhint.config.cjs';
const soliditySources = 'libs/contracts/src/**/*.sol';

/**
 * Checks types, lint, format, spelling and unused code, and runs the tests. Many tests wait for most of their time:
 * what needs the processor runs beside two of them, with a lower priority.
 *
 * @param lane - `quick` leaves out `*.full.spec.ts`
 */
export async function test(lane) {
  const projects = listProjects();
  const tested = projects.filter(hasTests).sort((one, other) => rank(one) - rank(other));
  for (const project of tested) rmSync(summaryFile(project), { force: true });
  const failures = [];

  // It also creates the project graph; without it ESLint skips the rule on the direction of imports.
  await check('nx', ['run-many', '-t', 'build', '-p', 'web,site']);
  // By its path: the API of TypeScript 6, which typescript-eslint and Nx need, has a `tsc`, too.
  const compiling = check('../typescript-7/bin/tsc', ['-b', ...projects]);
  const timed = tested
    .filter((project) => !patient.includes(project))
    .map((project) => () => testProject(project));
  const others = [
    // The types of all projects need more memory than Node's default on a small machine.
    () => check('eslint', ['apps', 'libs', 'tools'], { NODE_OPTIONS: '--max-old-space-size=4096' }),
    ...tested
      .filter((project) => patient.includes(project))
      .map((project) => () => testProject(project, lowPriority)),
    () => check('prettier', ['--check', '.']),
    () => check('cspell', ['--no-progress', '--no-summary']),
    () =>
      check('solhint', ['--disc', '--noPoster', '--max-warnings', '0', '-c', solhintConfig, soliditySources]),
    () => check('knip', ['--no-progress', '--no-config-hints']),
  ];
  await Promise.all([compiling, work(timed, others), work(timed, others), work(others)]);
  return reportTests(tested, failures);

  async function testProject(project, priority) {
    // Some tests start the built programs.
    await compiling;
    const env = { TEST_LANE: lane };
    const code = await run('jest', [], {
      cwd: project,
      stdio: 'inherit',
      env,
      priority,
      limitMs: limitMs.tests,
    });
    if (code !== 0) failures.push(`${project}: jest exited with ${code}`);
  }

  /** Run a program, and keep its output only when it fails. */
  async function check(program, args, env) {
    const started = Date.now();
    const output = [];
    const code = await run(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      onOutput: (text) => output.push(text),
      env,
      priority: lowPriority,
      limitMs: limitMs.check,
    });
    console.log(`${program}: finished in ${Math.round((Date.now() - started) / 1000)} s`);
    if (code !== 0) failures.push(`${output.join('')}\n${program} failed`);
  }
}

function rank(project) {
  const place = longestFirst.indexOf(project);
  return place < 0 ? longestFirst.length : place;
}

/** Run one task after the other, each from the first queue that still has one. */
async function work(...queues) {
  const next = () => queues.find((queue) => queue.length > 0)?.shift();
  for (let task = next(); task; task = next()) await task();
}

function reportTests(projects, failures) {
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
  for (const failure of failures) console.log(failure);
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed > 0 || failures.length > 0 ? 1 : 0;
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
