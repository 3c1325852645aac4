// Runs mutants of the production contracts: each must be killed by the fuzz harness or by the specs.
//
//   node test/mutation/run.mjs [--quick] [--only 3,17] [--fuzz-only]
//
// --quick takes the mutants marked so, with the fuzz harness alone. Mutants live in a temporary copy, never in the tree.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCopy } from '../support/copy.mjs';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, 'fuzz-only': { type: 'boolean' } },
});
/** What to compile and which specs to run for a source. */
const scopes = {
  account: { sources: ['src/account'], specs: ['test/account'] },
  'modules/IntentValidator': { sources: ['src/modules/IntentValidator.sol'], specs: ['test/validator'] },
  'modules/YieldExecutor': { sources: ['src/modules/YieldExecutor.sol'], specs: ['test/executor'] },
  paymaster: { sources: ['src/paymaster/UsdcPaymaster.sol'], specs: ['test/paymaster'] },
  libraries: { sources: ['src/paymaster', 'src/modules'], specs: ['test/paymaster', 'test/executor'] },
};

const wanted = values.only?.split(',').map(Number);
const all = JSON.parse(readFileSync(join(import.meta.dirname, 'mutants.json'), 'utf8'));
const mutants = all
  .map((mutant, id) => ({ ...mutant, id }))
  .filter(({ id, quick }) => wanted?.includes(id) ?? (!values.quick || quick));
const place = makeCopy();
const survivors = [];

if (!values.quick && !values['fuzz-only']) {
  const failure = failureOf(['test/account', 'test/executor', 'test/paymaster', 'test/validator']);
  if (failure) throw new Error(`fails without a mutant: ${failure}`);
}
for (const mutant of mutants) {
  const started = Date.now();
  let result = 'SURVIVED';
  try {
    const killer = killerOf(mutant);
    if (killer) result = `killed by ${killer}`;
  } catch (error) {
    result = `NOT RUN: ${error.message}`;
  }
  if (!result.startsWith('killed')) survivors.push(mutant.id);
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  console.log(`${mutant.id} ${mutant.file}: ${result} (${seconds} s)`);
}
console.log(`${mutants.length - survivors.length} of ${mutants.length} mutants killed`);
if (survivors.length > 0) {
  console.error(`Survivors: ${survivors.join(', ')}`);
  process.exitCode = 1;
}

function killerOf({ id, file, find, replace }) {
  const path = join(place, file);
  const original = readFileSync(join(root, file), 'utf8');
  const parts = original.split(find);
  if (parts.length !== 2) throw new Error(`mutant ${id} matches ${parts.length - 1} places`);
  const { sources, specs } = Object.entries(scopes).find(([prefix]) => file.startsWith(`src/${prefix}`))[1];
  rmSync(join(place, 'src/generated'), { recursive: true });
  cpSync(join(root, 'src/generated'), join(place, 'src/generated'), { recursive: true });
  writeFileSync(path, parts.join(replace));
  try {
    const compiled = run('node', ['scripts/compile.mjs', ...sources], place);
    if (compiled.status !== 0) throw new Error(`mutant ${id} does not compile: ${compiled.stderr}`);
    if (!compiled.stdout.includes('Wrote')) throw new Error(`mutant ${id} changes no bytecode`);
    const fuzz = ['--steps', '2000', '--seed', '1', '--bytecode', join(place, 'src/generated')];
    const work = ['--work', join(root, 'out-tsc/fuzz/mutant')];
    const fuzzed = run('node', [join(root, 'test/fuzz/run.mjs'), ...fuzz, ...work], root);
    const failure = /FAIL: ([^\]]*)/.exec(fuzzed.stdout)?.[1];
    if (failure) return `fuzz: ${failure}`;
    if (fuzzed.status !== 0) throw new Error(`the harness did not run: ${fuzzed.stderr}`);
    if (values.quick || values['fuzz-only']) return undefined;
    return failureOf(specs);
  } finally {
    writeFileSync(path, original);
  }
}

/** The first test that fails in the copy; each folder of specs must pass there before the first mutant. */
function failureOf(specs) {
  const { status, stderr } = run('npx', ['jest', ...specs, '--bail', '--reporters=default'], place);
  if (status === 0) return undefined;
  const failed = /● (.*)/.exec(stderr)?.[1];
  if (!failed) throw new Error(`the specs did not run: ${stderr}`);
  return `specs: ${failed}`;
}

function run(command, args, cwd) {
  const env = { ...process.env, FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: '0' };
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 26 });
}
