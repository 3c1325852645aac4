import { AbiCoder, Interface } from 'ethers';
import type { Address, Hex } from 'viem';
import { setupCalls } from '../test/vectors.js';
import { encodeInitializeAccount, encodeInitializeAndApprove } from './wallet-calls.js';

const abi = new Interface([
  'function initializeAccount()',
  'function approve(address spender, uint256 amount)',
  'function execute(bytes32 mode, bytes executionCalldata)',
]);

it('encodeInitializeAccount', () => {
  expect(encodeInitializeAccount()).toBe(setupCalls.initialize);
  expect(abi.encodeFunctionData('initializeAccount')).toBe(setupCalls.initialize);
});

it('encodeInitializeAndApprove', () => {
  const { wallet, token, spender, amount, calldata } = setupCalls.initializeAndApprove;
  const approval = { token: token as Address, spender: spender as Address, amount: BigInt(amount) };
  expect(encodeInitializeAndApprove(wallet as Address, approval)).toBe(calldata);
  const calls = [
    [wallet, 0, abi.encodeFunctionData('initializeAccount')],
    [token, 0, abi.encodeFunctionData('approve', [spender, amount])],
  ];
  const batch = AbiCoder.defaultAbiCoder().encode(['tuple(address, uint256, bytes)[]'], [calls]);
  const mode: Hex = `0x01${'00'.repeat(31)}`;
  expect(abi.encodeFunctionData('execute', [mode, batch])).toBe(calldata);
});
