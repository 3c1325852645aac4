import { AbiCoder, Interface } from 'ethers';
import { batchVectors } from '../test/vectors.js';
import { encodeAccountBatch } from './account-batch.js';

const abi = new Interface(['function execute(bytes32 mode, bytes executionCalldata)']);
const batchMode = `0x01${'00'.repeat(31)}`;

it.each(batchVectors)('encodeAccountBatch: $name', ({ calls, callData }) => {
  expect(encodeAccountBatch(calls)).toBe(callData);

  const executions = AbiCoder.defaultAbiCoder().encode(
    ['(address,uint256,bytes)[]'],
    [calls.map(({ to, data }) => [to, 0, data])],
  );
  expect(abi.encodeFunctionData('execute', [batchMode, executions])).toBe(callData);
});
