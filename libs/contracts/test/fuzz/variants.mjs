// Shows that each invariant can fail: breaks the contracts in one place at a time, in a copy, and runs the invariants.
//
//   node test/fuzz/variants.mjs [--only 3,17]
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCopy } from '../support/copy.mjs';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wanted = values.only?.split(',').map(Number);
const variants = JSON.parse(readFileSync(join(import.meta.dirname, 'variants.json'), 'utf8'));
const place = makeCopy();

for (const [id, variant] of variants.entries()) {
  if (wanted && !wanted.includes(id)) continue;
  const failure = failureOf(variant);
  const isExpected = new RegExp(`^(${variant.breaks})$`).test(failure);
  console.log(`${isExpected ? 'fails as it must' : 'WRONG'}: ${id} ${variant.file}: ${failure}`);
  if (!isExpected) process.exitCode = 1;
}

/** The invariant that fails first, or `nothing`. */
function failureOf({ file, find, replace }) {
  const original = readFileSync(join(root, file), 'utf8');
  const parts = original.split(find);
  if (parts.length !== 2) throw new Error(`${find} is in ${file} ${parts.length - 1} times`);
  cpSync(join(root, 'src/generated'), join(place, 'src/generated'), { recursive: true });
  writeFileSync(join(place, file), parts.join(replace));
  const source = file.replace('PaymasterTerms', 'UsdcPaymaster');
  run(['scripts/compile.mjs', source], place);
  writeFileSync(join(place, file), original);
  const fuzz = ['--steps', '6000', '--seed', '1', '--bytecode', join(place, 'src/generated')];
  const output = run(
    [join(root, 'test/fuzz/run.mjs'), ...fuzz, '--work', join(root, 'out-tsc/fuzz/variant')],
    root,
  );
  return /FAIL: ([^\]]*)/.exec(output)?.[1] ?? 'nothing';
}

function run(args, cwd) {
  const env = { ...process.env, FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: '0' };
  const { stdout, stderr, status } = spawnSync('node', args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0 && !stdout.includes('FAIL')) throw new Error(stdout + stderr);
  return stdout;
}
