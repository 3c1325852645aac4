// Compiles RealVaults.sol and prints the creation code of its contracts as JSON. Code of others is never committed.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import solc from 'solc';

const require = createRequire(import.meta.url);
const file = 'RealVaults.sol';
const contracts = [
  'OpenZeppelinUsdcVault',
  'SoladyUsdcVault',
  'SolmateUsdcVault',
  'ReservePool',
  'StataUsdcVault',
];
const input = {
  language: 'Solidity',
  sources: { [file]: { content: readFileSync(join(import.meta.dirname, file), 'utf8') } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'prague',
    // As Aave's build maps them.
    remappings: [
      'openzeppelin-contracts/=@openzeppelin/',
      'openzeppelin-contracts-upgradeable/contracts/=@openzeppelin/contracts-upgradeable/',
      'solidity-utils/=@bgd-labs/solidity-utils/src/',
    ],
    outputSelection: { [file]: { '*': ['evm.bytecode.object'] } },
  },
};

function readImport(path) {
  const found = require.resolve
    .paths(path)
    .map((modules) => join(modules, path))
    .find(existsSync);
  return found ? { contents: readFileSync(found, 'utf8') } : { error: `${path} not found` };
}

const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }));
const failures = (output.errors ?? []).filter(({ severity }) => severity === 'error');
if (failures.length > 0) {
  console.error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'));
  process.exit(1);
}
const entries = contracts.map((name) => [name, `0x${output.contracts[file][name].evm.bytecode.object}`]);
console.log(JSON.stringify(Object.fromEntries(entries)));
