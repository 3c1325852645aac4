import { Interface } from 'ethers';
import type { Address } from 'viem';
import { initializeAccount } from '../test/vectors.js';
import { encodeInitializeAccount } from './wallet-calls.js';

const { args, calldata } = initializeAccount;
const abi = new Interface(['function initializeAccount(address,address,address,address,uint256)']);

it('encodeInitializeAccount', () => {
  const { validator, executor, token, paymaster, allowance } = args as Record<keyof typeof args, Address>;
  const encoded = encodeInitializeAccount({
    validator,
    executor,
    token,
    paymaster,
    allowance: BigInt(allowance),
  });
  expect(encoded).toBe(calldata);
  expect(abi.encodeFunctionData('initializeAccount', Object.values(args))).toBe(calldata);
});
