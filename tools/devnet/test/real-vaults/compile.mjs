// Compiles RealVaults.sol and prints the creation code of its contracts as JSON.
import { compilePackages } from '@yield-vault/testing/compile-packages';

const contracts = [
  'OpenZeppelinUsdcVault',
  'SoladyUsdcVault',
  'SolmateUsdcVault',
  'ReservePool',
  'StataUsdcVault',
];
const evm = compilePackages(import.meta.dirname, { 'RealVaults.sol': contracts });
const entries = contracts.map((name) => [name, `0x${evm[name].bytecode.object}`]);
console.log(JSON.stringify(Object.fromEntries(entries)));
