// Compiles the protocols, and prints the code of their contracts and where the libraries of Aave's pool belong as JSON.
import { compilePackages } from '@yield-vault/testing/compile-packages';
import solc19 from 'solc-0.8.19';

const morpho = '@morpho-org/morpho-blue/src';
const logic = ['Borrow', 'Configurator', 'FlashLoan', 'Liquidation', 'Pool', 'Supply'];
const libraries = Object.fromEntries(
  logic.map((name, index) => [`${name}Logic`, `0x${(0xaa0e + index).toString(16).padStart(40, '0')}`]),
);
const fileOf = (name) => `@aave-dao/aave-v3-origin/src/contracts/protocol/libraries/logic/${name}.sol`;
const byFile = (toValue) =>
  Object.fromEntries(Object.keys(libraries).map((name) => [fileOf(name), toValue(name)]));

const wanted = {
  'Protocols.sol': ['AaveMarket', 'MorphoMarket'],
  [`${morpho}/mocks/IrmMock.sol`]: ['IrmMock'],
  ...byFile((name) => [name]),
};
const settings = { libraries: byFile((name) => ({ [name]: libraries[name] })) };
// As Morpho's build sets it.
const morphoSettings = {
  compiler: solc19,
  viaIR: true,
  optimizer: { enabled: true, runs: 999_999 },
  evmVersion: 'paris',
};
const evm = {
  ...compilePackages(import.meta.dirname, wanted, settings),
  ...compilePackages(import.meta.dirname, { [`${morpho}/Morpho.sol`]: ['Morpho'] }, morphoSettings),
};
const entries = Object.entries(evm).map(([name, { bytecode, deployedBytecode }]) => [
  name,
  `0x${(name in libraries ? deployedBytecode : bytecode).object}`,
]);
console.log(JSON.stringify({ code: Object.fromEntries(entries), libraries }));
