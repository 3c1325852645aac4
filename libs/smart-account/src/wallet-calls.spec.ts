import { Interface } from 'ethers';
import type { Address } from 'viem';
import { initializeAccount } from '../test/vectors.js';
import { encodeInitializeAccount } from './wallet-calls.js';

const { args, calldata } = initializeAccount;
const abi = new Interface(['function initializeAccount(address,address,uint256)']);

it('encodeInitializeAccount', () => {
  const { token, paymaster, allowance } = args as Record<keyof typeof args, Address>;
  const encoded = encodeInitializeAccount({
    token,
    paymaster,
    allowance: BigInt(allowance),
  });
  expect(encoded).toBe(calldata);
  expect(abi.encodeFunctionData('initializeAccount', Object.values(args))).toBe(calldata);
});
