// Runs mutants of the production contracts: the fuzz run or a spec must fail for each.
//
//   node test/mutation/run.mjs [--sample 150] [--seed 1] [--only text] [--list]
//
// The mutants are generated: each changes one operator, negates one condition, or deletes one statement or modifier. A
// sample is drawn by the seed. survivors.json has those that no test can kill, by key, and why; any other survivor fails.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCopy } from '../support/copy.mjs';
import { generateMutants } from './generate.mjs';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    list: { type: 'boolean' },
  },
});
/** What to compile and which specs to run, by the start of the file. */
const scopes = {
  'src/account': { compiled: 'src/account', specs: ['test/account'] },
  'src/modules/IntentValidator': { compiled: 'src/modules/IntentValidator.sol', specs: ['test/validator'] },
  'src/modules/YieldExecutor': { compiled: 'src/modules/YieldExecutor.sol', specs: ['test/executor'] },
  'src/paymaster': { compiled: 'src/paymaster/UsdcPaymaster.sol', specs: ['test/paymaster'] },
  'src/router': { compiled: 'src/router', specs: ['test/router'] },
};
const judged = JSON.parse(readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'));
const order = ({ key, start }) => createHash('sha256').update(`${values.seed} ${key} ${start}`).digest('hex');
const mutants = generateMutants()
  .filter(({ key }) => !values.only || key.includes(values.only))
  .sort((one, other) => (order(one) < order(other) ? -1 : 1))
  .slice(0, values.sample ? Number(values.sample) : undefined);
if (values.list) {
  for (const { kind, key } of mutants) console.log(`${kind} ${key}`);
  process.exit();
}

const place = makeCopy();
const specs = [...new Set(mutants.flatMap(({ file }) => scopeOf(file).specs))];
const failure = failureOf(specs);
if (failure) throw new Error(`fails without a mutant: ${failure}`);
const counts = {};
for (const [index, mutant] of mutants.entries()) {
  const started = Date.now();
  const result = resultOf(mutant);
  const [outcome] = result.split(':');
  counts[outcome] = (counts[outcome] ?? 0) + 1;
  if (outcome === 'SURVIVED') process.exitCode = 1;
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  console.log(`${index + 1}/${mutants.length} ${result} | ${mutant.kind} | ${mutant.key} (${seconds} s)`);
}
console.log(counts);

function scopeOf(file) {
  return Object.entries(scopes).find(([start]) => file.startsWith(start))[1];
}

/** `killed by …`, `no code` that compiles to other bytes, `judged`, or `SURVIVED`. */
function resultOf({ key, file, start, end, text }) {
  const original = readFileSync(join(root, file));
  const { compiled, specs } = scopeOf(file);
  rmSync(join(place, 'src/generated'), { recursive: true });
  cpSync(join(root, 'src/generated'), join(place, 'src/generated'), { recursive: true });
  writeFileSync(
    join(place, file),
    Buffer.concat([original.subarray(0, start), Buffer.from(text), original.subarray(end)]),
  );
  const { status, stdout } = run('node', ['scripts/compile.mjs', compiled], place);
  writeFileSync(join(place, file), original);
  if (status !== 0 || !stdout.includes('Wrote')) return 'no code: does not compile, or to the same bytes';
  const fuzz = ['--steps', '2000', '--seed', '1', '--bytecode', join(place, 'src/generated')];
  const work = ['--work', join(root, 'out-tsc/fuzz/mutant')];
  const fuzzed = run('node', [join(root, 'test/fuzz/run.mjs'), ...fuzz, ...work], root);
  if (fuzzed.status !== 0) return `killed by fuzz: ${/FAIL: (.*)\]/.exec(fuzzed.stdout)?.[1] ?? 'no world'}`;
  const failed = failureOf(specs);
  if (failed) return `killed by specs: ${failed}`;
  return key in judged ? `judged: ${judged[key]}` : 'SURVIVED';
}

/** The first test that fails in the copy. */
function failureOf(specs) {
  const { status, stderr } = run(
    'npx',
    ['jest', ...specs, '--bail', '--maxWorkers=1', '--reporters=default'],
    place,
  );
  if (status === 0) return undefined;
  return /● (.*)/.exec(stderr)?.[1] ?? 'does not run';
}

function run(command, args, cwd) {
  const env = { ...process.env, FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: '0' };
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 26 });
}
