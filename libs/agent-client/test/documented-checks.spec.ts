import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eip7702Marker } from '@yield-vault/protocol';
import { encodeGasGrant, nonceKey } from '@yield-vault/smart-account';
import { testKey } from '@yield-vault/testing';
import { maxUint256, zeroHash, type Address, type Hex } from 'viem';
import { local, otherVault, usdc, vault } from './support/book.js';
import {
  buildPrepared,
  deposit,
  redeemAll,
  soon,
  topUp,
  type PreparedParts,
} from './support/build-prepared.js';

const docs = join(__dirname, '../../../docs');
const read = (file: string) => readFileSync(join(docs, file), 'utf8');

const expiry = soon();
const keepOne = { ...deposit, keepOne: true } as const;
const prepared = (parts: PreparedParts = {}) => buildPrepared({ expiry, hooks: [keepOne], ...parts });
const request = { hook: '0x81', vault, amount: `${deposit.amount}`, minimum: `${deposit.minShares}` };
const redeem = { hook: '0x02', vault, amount: `${maxUint256}`, minimum: `${redeemAll.minAssets}` };
const delegatedTo = (address: Address) =>
  prepared({
    operation: {
      factory: eip7702Marker,
      authorization: { address, chainId: 8453, nonce: 0, yParity: 0, r: zeroHash, s: zeroHash },
    },
  });
const withPaymasterData = (paymasterData: Hex) => prepared({ operation: { paymasterData } });
const withDeployment = (changes: Partial<typeof local>) => prepared({ deployment: { ...local, ...changes } });
const plain = prepared();
const [{ userOperation }] = plain.userOps as [(typeof plain.userOps)[number]];

const asRequested = [
  ['a deposit', plain, request],
  ['a deposit that delegates the wallet', delegatedTo(local.account), request],
  ['a redeem', prepared({ hooks: [redeemAll] }), redeem],
] as const;

/** Envelopes that agree with themselves, and differ from the deposit that was requested. */
const others = [
  ['another vault', prepared({ hooks: [{ ...keepOne, vault: otherVault }] })],
  ['another token', prepared({ hooks: [{ ...keepOne, token: otherVault }] })],
  ['another amount', prepared({ hooks: [{ ...keepOne, amount: deposit.amount + 1n }] })],
  ['a lower minimum', prepared({ hooks: [{ ...keepOne, minShares: deposit.minShares - 1n }] })],
  ['another hook', prepared({ hooks: [redeemAll] })],
  ['a further hook', prepared({ hooks: [keepOne, topUp] })],
  ['another paymaster', withDeployment({ paymaster: { ...local.paymaster, address: otherVault } })],
  ['a grant above the limit', withPaymasterData(encodeGasGrant({ token: usdc, maximum: 5_000_001n }))],
  ['a grant of another token', withPaymasterData(encodeGasGrant({ token: otherVault, maximum: 1n }))],
  ['no grant', withPaymasterData('0x')],
  ['another nonce key', prepared({ operation: { nonce: (nonceKey(otherVault) << 64n) | 7n } })],
  ['another sender', prepared({ operation: { sender: otherVault } })],
  ['another account', delegatedTo(otherVault)],
  ['a late expiry', prepared({ expiry: expiry + 3_600 })],
  ['a start in the future', prepared({ validAfter: expiry - 1 })],
  ['another chain', withDeployment({ chainId: 1 })],
  ['another entry point', withDeployment({ entryPoint: otherVault })],
  ['another validator', withDeployment({ validator: otherVault })],
  [
    'more gas than its root covers',
    { ...plain, userOps: [{ userOperation: { ...userOperation, callGasLimit: '1' } }] },
  ],
] as const;

const cases = JSON.stringify([
  ...asRequested.map(([, envelope, wanted]) => [envelope, wanted]),
  ...others.map(([, envelope]) => [envelope, request]),
]);

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): readonly string[] {
  const PRIVATE_KEY = testKey('owner');
  const options = { cwd: __dirname, env: { PATH: process.env['PATH'], PRIVATE_KEY, ...env }, input: cases };
  return JSON.parse(execFileSync(command, args, options).toString()) as string[];
}

function runJavaScript(program: string) {
  const [definitions] = program.split('// The flow');
  const harness = `
    import { readFileSync } from 'node:fs';
    const results = JSON.parse(readFileSync(0, 'utf8')).map(([envelope, { amount, minimum, ...request }]) => {
      try {
        const signed = check(envelope, { ...request, amount: BigInt(amount), minimum: BigInt(minimum) });
        return (signed.message ?? signed[2]).merkleRoot;
      } catch (error) {
        return error.message;
      }
    });
    console.log(JSON.stringify(results));`;
  return run(process.execPath, ['--input-type=module', '--eval', definitions + harness]);
}

function runPython() {
  const hasPackages = spawnSync('python3', ['-c', 'import eth_account, eth_utils']).status === 0;
  const harness = `
import json, sys
from python import check
def result(envelope, request):
    numbers = {"hook": int(request["hook"], 16), "amount": int(request["amount"]), "minimum": int(request["minimum"])}
    try:
        return "0x" + check(envelope, **{**request, **numbers})["merkleRoot"].hex()
    except ValueError as error:
        return str(error)
print(json.dumps([result(*case) for case in json.load(sys.stdin)]))`;
  const folders = [join(docs, 'examples'), ...(hasPackages ? [] : [join(__dirname, 'support/python')])];
  const env = { PYTHONPATH: folders.join(':'), PYTHONDONTWRITEBYTECODE: '1' };
  return run('python3', ['-c', harness], env);
}

const programs: [name: string, run: () => readonly string[]][] = [
  ['docs/rest.md', () => runJavaScript(/(?<=```js\n)[^]+?(?=```)/.exec(read('rest.md'))![0])],
];
if (spawnSync('python3', ['--version']).status === 0) programs.push(['docs/examples/python.py', runPython]);

it.each(programs)('%s signs what was requested, and nothing else', (_, results) => {
  const roots = asRequested.map(([name, { merkleRoot }]) => [name, merkleRoot]);
  const names = [...asRequested, ...others].map(([name]) => name);
  const outcomes = results().map((result, index) => [names[index], result.replace(/^(?!0x).*/s, 'refused')]);
  expect(outcomes).toEqual([...roots, ...others.map(([name]) => [name, 'refused'])]);
});
