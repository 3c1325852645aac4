// Compiles contracts of packages for tests, at test time: code of others is never committed.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import solc from 'solc';

const require = createRequire(import.meta.url);

/**
 * @param folder - of the sources that are ours
 * @param wanted - names of contracts by file, in this folder or in a package
 * @param options - `compiler`, and settings of the compiler
 * @returns the `evm` output by contract; the process ends when a source has an error
 */
export function compilePackages(folder, wanted, { compiler = solc, ...settings } = {}) {
  const readSource = (path) => {
    const found = [folder, ...require.resolve.paths(path)].map((root) => join(root, path)).find(existsSync);
    return found ? { contents: readFileSync(found, 'utf8') } : { error: `${path} not found` };
  };
  const files = Object.keys(wanted);
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: readSource(file).contents }])),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'prague',
      // As Aave's build maps them.
      remappings: [
        'openzeppelin-contracts/=@openzeppelin/',
        'openzeppelin-contracts-upgradeable/contracts/=@openzeppelin/contracts-upgradeable/',
        'solidity-utils/=@bgd-labs/solidity-utils/src/',
      ],
      outputSelection: Object.fromEntries(
        files.map((file) => [file, { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] }]),
      ),
      ...settings,
    },
  };
  const output = JSON.parse(compiler.compile(JSON.stringify(input), { import: readSource }));
  const failures = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (failures.length > 0) {
    console.error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'));
    process.exit(1);
  }
  const names = files.flatMap((file) => wanted[file].map((name) => [name, output.contracts[file][name].evm]));
  return Object.fromEntries(names);
}
