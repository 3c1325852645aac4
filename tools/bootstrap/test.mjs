import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, watch } from './run.mjs';

/** Checks types, lint and the direction of imports, and runs every test. */
export async function test() {
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
  // It also creates the project graph; without it ESLint skips the rule on the direction of imports.
  const bundled = await check('nx', ['build', 'web']);
  const codes = await Promise.all([
    check('tsc', ['-b', ...projects]),
    // The types of all projects need more memory than Node's default on a small machine.
    check('eslint', ['apps', 'libs', 'tools'], { NODE_OPTIONS: '--max-old-space-size=4096' }),
  ]);
  console.log(`${title}: finished in ${end()}`);
  const passed = [bundled, ...codes].every((code) => code === 0);
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
