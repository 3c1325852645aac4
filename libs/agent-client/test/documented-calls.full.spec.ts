import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maxUint256 } from 'viem';
import { addressBook, otherVault, usdc, vault } from './support/book.js';
import { buildCalls, routerDeposit, routerRedeem } from './support/build-calls.js';
import { deposit, redeem } from './support/build-prepared.js';

const page = readFileSync(join(__dirname, '../../../docs/calls.md'), 'utf8');
const [, section = ''] = page.split('### Without agent-client');
const [, code = ''] = /```js\n([^]+?)```/.exec(section)!;
const program = code.replace(/0x[0-9a-fA-F]{40}/, addressBook.deployments[0]!.router);

const text = (value: bigint) => value.toString();
const depositing = {
  operation: 'deposit',
  vault,
  token: usdc,
  amount: text(deposit.amount),
  minimum: text(deposit.minShares),
};
const redeeming = {
  ...depositing,
  operation: 'redeem',
  amount: text(redeem.shares),
  minimum: text(redeem.minAssets),
};
const { calls } = buildCalls();
const [approval, trade] = calls as [(typeof calls)[number], (typeof calls)[number]];

const cases = {
  'a deposit': [calls, depositing],
  'a deposit after another allowance': [buildCalls(routerDeposit, true).calls, depositing],
  'a redeem': [buildCalls(routerRedeem).calls, redeeming],
  'another vault': [calls, { ...depositing, vault: otherVault }],
  'another amount': [calls, { ...depositing, amount: '1' }],
  'a minimum below the own one': [calls, { ...depositing, minimum: text(maxUint256) }],
  'another router': [[approval, { ...trade, to: otherVault }], depositing],
  'another spender': [[{ ...approval, data: trade.data }, trade], depositing],
  'a further call': [[approval, approval, approval, trade], depositing],
  'no approval': [[trade], depositing],
} as const;

it('docs/calls.md accepts the requested calls, and no others', () => {
  const harness = `
    import { readFileSync } from 'node:fs';
    const outcomeOf = ([calls, { amount, minimum, ...expected }]) => {
      try {
        return check(calls, { ...expected, amount: BigInt(amount), minimum: BigInt(minimum) }).length;
      } catch (error) {
        return error.message.split(':')[0];
      }
    };
    const cases = Object.entries(JSON.parse(readFileSync(0, 'utf8')));
    console.log(JSON.stringify(Object.fromEntries(cases.map(([name, one]) => [name, outcomeOf(one)]))));`;
  const options = { cwd: __dirname, input: JSON.stringify(cases) };
  const output = execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', program + harness],
    options,
  );
  expect(JSON.parse(output.toString())).toEqual({
    ...Object.fromEntries(Object.keys(cases).map((name) => [name, 'Do not send'])),
    'a deposit': 2,
    'a deposit after another allowance': 3,
    'a redeem': 2,
  });
});
