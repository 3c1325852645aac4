import { Interface } from 'ethers';
import { uninstallVectors } from '../test/vectors.js';
import { moduleTypes } from './module-types.js';
import { encodeUninstallModule } from './uninstall-module.js';

const abi = new Interface([
  'function uninstallModule(uint256 moduleTypeId, address module, bytes deInitData)',
]);

it.each(uninstallVectors)('encodeUninstallModule: $type', ({ type, module, callData }) => {
  expect(encodeUninstallModule(type, module)).toBe(callData);
  expect(abi.encodeFunctionData('uninstallModule', [moduleTypes[type], module, '0x'])).toBe(callData);
});
