import { AbiCoder, Interface } from 'ethers';
import { size, type Address, type Hex } from 'viem';
import { setupCalls } from '../test/vectors.js';
import {
  decodeInitializeAndApprove,
  encodeInitializeAccount,
  encodeInitializeAndApprove,
} from './wallet-calls.js';

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

describe('decodeInitializeAndApprove', () => {
  const { wallet, token, spender, amount, calldata } = setupCalls.initializeAndApprove;
  const of = wallet as Address;

  it('default', () => {
    const approval = { token, spender, amount: BigInt(amount) };
    expect(decodeInitializeAndApprove(of, calldata as Hex)).toEqual(approval);
  });

  it('behavior: a change outside the approval, or another wallet, is something else', () => {
    expect(decodeInitializeAndApprove(token as Address, calldata as Hex)).toBeUndefined();
    for (let byte = 0; byte < size(calldata as Hex); byte += 1) {
      const at = 2 + 2 * byte;
      const changed = Number(`0x${calldata.slice(at, at + 2)}`) ^ 0x40;
      const hex = changed.toString(16).padStart(2, '0');
      const data = `${calldata.slice(0, at)}${hex}${calldata.slice(at + 2)}` as Hex;
      const isValue = (byte >= 400 && byte < 420) || (byte >= 532 && byte < 584);
      expect([byte, decodeInitializeAndApprove(of, data) !== undefined]).toEqual([byte, isValue]);
    }
    expect(decodeInitializeAndApprove(of, `${calldata as Hex}00`)).toBeUndefined();
  });
});
