// Proves with the SMTChecker of solc what the templates beside it assert of the real code.
//
//   node test/proof/run.mjs [--source folder] [--only Charge.Price]    a folder with another version of src; one contract
//
// A template takes declarations and function bodies from the sources as they are. What a solver cannot read (calls, ABI
// coding, transient storage) is replaced by the model of the template; each replacement must fit exactly once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import solc from 'solc';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: { source: { type: 'string', default: join(root, 'src') }, only: { type: 'string' } },
});
const files = {
  UsdcPaymaster: 'paymaster/UsdcPaymaster.sol',
  YieldVaultAccount: 'account/YieldVaultAccount.sol',
};

/** What the models put in place of the code, by template and function. */
const models = {
  'UsdcPaymaster._validatePaymasterUserOp: prefund': [['userOp.maxFeePerGas()', 'maxFeePerGas']],
  'UsdcPaymaster._postOp: gas': [['_refreshIfDue()', 'refreshGas']],
  'UsdcPaymaster._postOp': [
    [/\(bytes32 userOpHash, [^;]*;/, ''],
    ['POST_OP_GAS + penalty + _refreshIfDue()', 'counted'],
    ['!_refund(sender, prefund - charge, FIRST_REFUND_LIMIT)', '!first'],
    [
      'if (!_refund(sender, prefund - charge, SECOND_REFUND_LIMIT)) revert PaymasterRefundFailed(sender);',
      '',
    ],
    ['emit UserOperationSponsored(userOpHash, charge, rate);', ''],
  ],
  'YieldVaultAccount.payForGas': [
    ['bytes32 slot = _grantSlot(msg.sender);', ''],
    [/revert GasPaymentRefused.*;/, 'revert();'],
    ['slot.asUint256().tload()', 'stored'],
    ['slot.asUint256().tstore(0)', 'stored = 0'],
    [
      'IERC20(address(uint160(grant >> 96))).safeTransfer(msg.sender, amount)',
      '_pay(stored, isOpen, signed, grant, amount)',
    ],
  ],
  'YieldVaultAccount._noteGrant': [
    ['return;', 'return stored;'],
    ['data.length != GRANT_END || bytes4(data[52:GRANT_OFFSET]) != GRANT_MARK', '!isGrant'],
    ['uint256(bytes32(data[GRANT_OFFSET:]))', 'word'],
    [/_grantSlot\(address\(bytes20\(data\[:20\]\)\)\)\.asUint256\(\)\.tstore\((\w+)\)/, 'stored = $1'],
  ],
};

/** The statements or the declaration that a mark of a template names. */
function codeOf(mark) {
  const [, contract, name, variable] = /^(\w+)\.(\w+)(?:: (\w+))?$/.exec(mark);
  const text = readFileSync(join(values.source, files[contract]), 'utf8');
  if (/^[A-Z_]+$/.test(name))
    return only(text, new RegExp(`^    \\w+ \\w+ constant ${name} =[^;]*;`, 'm')).replace(
      'private',
      'internal',
    );
  const whole = only(text, new RegExp(`^    function ${name}\\([^]*?^    }$`, 'm'));
  const body = whole.slice(whole.indexOf('{\n') + 2, whole.lastIndexOf('}'));
  if (variable) return only(body, new RegExp(`uint256 ${variable} =[^;]*;`));
  return mark in models ? body : whole.replace('private', 'internal');
}

function only(text, pattern) {
  const found = text.match(new RegExp(pattern, `${pattern.flags}g`)) ?? [];
  if (found.length !== 1) throw new Error(`${pattern} is there ${found.length} times`);
  return found[0];
}

function fill(template) {
  return readFileSync(join(import.meta.dirname, `${template}.sol.in`), 'utf8').replace(
    /\/\*= (.*) =\*\//g,
    (_, mark) => {
      let code = codeOf(mark);
      for (const [real, model] of models[mark] ?? []) {
        const pattern =
          typeof real === 'string' ? new RegExp(real.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : real;
        only(code, pattern);
        code = code.replace(pattern, model);
      }
      return code;
    },
  );
}

/** Prove every assertion of a template, one contract at a time: smaller problems are easier. */
function prove(template) {
  const content = fill(template);
  for (const [, contract] of content.matchAll(/^contract (\w+)/gm)) {
    if (values.only && values.only !== `${template}.${contract}`) continue;
    const modelChecker = {
      engine: 'chc',
      solvers: ['z3'],
      targets: ['assert'],
      contracts: { [template]: [contract] },
      showProvedSafe: true,
      showUnproved: true,
      showUnsupported: true,
    };
    const started = Date.now();
    const input = { language: 'Solidity', sources: { [template]: { content } }, settings: { modelChecker } };
    const wanted =
      content
        .split(`contract ${contract} `)[1]
        .split(/^contract /m)[0]
        .split('assert(').length - 1;
    // The solver gives up early at times. What it proves is proved.
    let [proved, others] = check(input);
    for (let tries = values.only ? 3 : 1; tries < 3 && proved.length !== wanted; tries++)
      [proved, others] = check(input);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`${template}.${contract}: ${proved.length} of ${wanted} proved (${seconds} s)`);
    if (proved.length === wanted && others.length === 0) continue;
    console.log(others.map(({ formattedMessage }) => formattedMessage).join('\n'));
    process.exitCode = 1;
  }
}

/** Safe assertions, and everything else that the compiler says. */
function check(input) {
  const { errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)));
  const isSafe = ({ errorCode }) => errorCode === '9576';
  return [errors.filter(isSafe), errors.filter((one) => !isSafe(one))];
}

for (const template of ['Charge', 'Grant']) prove(template);
