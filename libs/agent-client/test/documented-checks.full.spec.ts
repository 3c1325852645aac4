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
const nonce = (nonceKey(local.validator) << 64n) | 7n;
const own = { vault, nonce: `${nonce}` };
const request = { ...own, hook: '0x81', amount: `${deposit.amount}`, minimum: `${deposit.minShares}` };
const redeem = { ...own, hook: '0x02', amount: `${maxUint256}`, minimum: `${redeemAll.minAssets}` };
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
  ['the next nonce', prepared({ operation: { nonce: nonce + 1n } })],
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

/** Vaults that discover may return. The programs trust those of the local deployment. */
const trusted = '0x233a8f7DB283e566A82D9A3a7C2Ea234cfbfF0b6';
const offers = [[otherVault, trusted], [otherVault]].map((vaults) =>
  vaults.map((vaultAddress) => ({ vaultAddress })),
);

const checks = [
  ...asRequested.map(([, envelope, wanted]) => [envelope, wanted]),
  ...others.map(([, envelope]) => [envelope, request]),
];
const cases = JSON.stringify({ checks, offers });
const names = [...asRequested, ...others, ['a trusted vault'], ['no trusted vault']].map(([name]) => name);

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): readonly string[] {
  const PRIVATE_KEY = testKey('owner');
  const options = { cwd: __dirname, env: { PATH: process.env['PATH'], PRIVATE_KEY, ...env }, input: cases };
  return JSON.parse(execFileSync(command, args, options).toString()) as string[];
}

function runJavaScript(program: string) {
  const [definitions] = program.split('// The flow');
  const harness = `
    import { readFileSync } from 'node:fs';
    const { checks, offers } = JSON.parse(readFileSync(0, 'utf8'));
    const attempt = (work) => {
      try {
        return work();
      } catch (error) {
        return error.message;
      }
    };
    const checked = checks.map(([envelope, { vault, ...request }]) =>
      attempt(() => {
        const numbers = ['amount', 'minimum', 'nonce'].map((name) => [name, BigInt(request[name])]);
        const signed = check(envelope, { vault, ...request, ...Object.fromEntries(numbers) });
        return signed[2].merkleRoot;
      }),
    );
    const chosen = offers.map((vaults) => attempt(() => choose(vaults).vaultAddress));
    console.log(JSON.stringify([...checked, ...chosen]));`;
  return run(process.execPath, ['--input-type=module', '--eval', definitions + harness]);
}

function runPython() {
  const hasPackages = spawnSync('python3', ['-c', 'import eth_account, eth_utils']).status === 0;
  const harness = `
import json, sys
from python import check, choose
def attempt(work):
    try:
        return work()
    except ValueError as error:
        return str(error)
def root(envelope, request):
    numbers = {name: int(request[name], 0) for name in ("hook", "amount", "minimum", "nonce")}
    return "0x" + check(envelope, **{**request, **numbers})["merkleRoot"].hex()
given = json.load(sys.stdin)
checked = [attempt(lambda: root(*one)) for one in given["checks"]]
chosen = [attempt(lambda: choose(vaults)["vaultAddress"]) for vaults in given["offers"]]
print(json.dumps(checked + chosen))`;
  const folders = [join(docs, 'examples'), ...(hasPackages ? [] : [join(__dirname, 'support/python')])];
  const env = { PYTHONPATH: folders.join(':'), PYTHONDONTWRITEBYTECODE: '1' };
  return run('python3', ['-c', harness], env);
}

const programs: [name: string, run: () => readonly string[]][] = [
  ['docs/rest.md', () => runJavaScript(/(?<=```js\n)[^]+?(?=```)/.exec(read('rest.md'))![0])],
];
if (spawnSync('python3', ['--version']).status === 0) programs.push(['docs/examples/python.py', runPython]);

it.each(programs)('%s signs what was requested, and nothing else', (_, results) => {
  const outcomes = results().map((result) => result.replace(/^(?!0x).*/s, 'refused'));
  expect(Object.fromEntries(names.map((name, index) => [name, outcomes[index]]))).toEqual({
    ...Object.fromEntries(asRequested.map(([name, { merkleRoot }]) => [name, merkleRoot])),
    ...Object.fromEntries(others.map(([name]) => [name, 'refused'])),
    'a trusted vault': trusted,
    'no trusted vault': 'refused',
  });
});
