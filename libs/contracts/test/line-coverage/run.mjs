// Measures which lines and branches of the deployed contracts the specs run.
//
//   node test/line-coverage/run.mjs
//
// The specs run on marked sources in a temporary copy, and every call and transaction is traced. A line counts when a function
// or statement begins on it and ran. Each operand of a condition is two branches.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import solc from 'solc';
import { makeCopy } from '../support/copy.mjs';
import { instrument, markerOf } from './instrument.mjs';

const files = [
  'account/YieldVaultAccount.sol',
  'modules/IntentValidator.sol',
  'modules/YieldExecutor.sol',
  'paymaster/PaymasterTerms.sol',
  'paymaster/UsdcPaymaster.sol',
  'router/YieldRouter.sol',
];
const specs = ['account', 'attacks/.*grant', 'executor', 'paymaster', 'router', 'validator'].map(
  (part) => `test/${part}`,
);
const place = makeCopy();
const values = join(place, 'values');
const points = [];

for (const file of files) {
  const path = join(place, 'src', file);
  const content = readFileSync(path, 'utf8');
  const settings = { stopAfter: 'parsing', outputSelection: { '*': { '': ['ast'] } } };
  const input = JSON.stringify({ language: 'Solidity', sources: { [file]: { content } }, settings });
  const { sources } = JSON.parse(solc.compile(input, { import: () => ({ contents: '' }) }));
  writeFileSync(path, instrument(file, content, sources[file].ast, points));
}
run('node', 'scripts/compile.mjs', 'src');
run('npx', 'jest', ...specs, '--reporters=default', '--setupFiles', './test/line-coverage/trace.cjs');

const seen = new Set(readFileSync(values, 'utf8').split('\n'));
points.forEach((point, id) => (point.ran = seen.has(markerOf(id).toString(16))));
const missed = [];
console.log('| contract | lines | branches |\n| --- | ---: | ---: |');
for (const file of files) {
  const own = points.filter((point) => point.file === file);
  const branches = own.filter(({ branch }) => branch);
  const lines = new Map();
  for (const { line, branch, ran } of own) if (!branch) lines.set(line, lines.get(line) || ran);
  for (const [line, ran] of lines) if (!ran) missed.push(`${file}:${line}`);
  for (const { line, branch, ran } of branches) if (!ran) missed.push(`${file}:${line} ${branch}`);
  const share = (all) => `${all.filter(Boolean).length} of ${all.length}`;
  const counts = [share([...lines.values()]), share(branches.map(({ ran }) => ran))];
  console.log(`| ${basename(file, '.sol')} | ${counts.join(' | ')} |`);
}
console.log(missed.length > 0 ? `Not covered:\n${missed.join('\n')}` : 'Everything is covered.');

function run(...command) {
  const env = { ...process.env, COVERAGE_VALUES: values };
  const { status } = spawnSync(command[0], command.slice(1), { cwd: place, env, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
