import { type Address, type Hex, keccak256, stringToHex } from 'viem';
import {
  canonical,
  entryPointDeployment,
  localContracts,
  contractDeployments,
} from '../../src/address-book.js';

/** Key of the second Anvil account: public, for tests only. */
const privateKey: Hex = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const sender: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const max = ((1n << 256n) - 1n).toString();
const vault: Address = '0x1111111111111111111111111111111111111111';
const otherVault: Address = '0x2222222222222222222222222222222222222222';
const nonce = ((BigInt(localContracts.validator) << 96n) | 7n).toString();

export interface IntentInput {
  readonly chainId: 1 | 8453;
  readonly entryPoint: Address;
  readonly validator: Address;
  readonly privateKey: Hex;
  readonly expiry: number;
  readonly validAfter: number;
  readonly proof: readonly Hex[];
  readonly userOperation: {
    readonly sender: Address;
    readonly nonce: string;
    readonly callData: Hex;
    readonly verificationGasLimit: string;
    readonly callGasLimit: string;
    readonly preVerificationGas: string;
    readonly maxPriorityFeePerGas: string;
    readonly maxFeePerGas: string;
    readonly paymaster?: Address;
    readonly paymasterVerificationGasLimit?: string;
    readonly paymasterPostOpGasLimit?: string;
  };
}

const base = { entryPoint: canonical.entryPointV08, validator: localContracts.validator, privateKey };
const gas = {
  verificationGasLimit: '150000',
  callGasLimit: '300000',
  preVerificationGas: '60000',
  maxPriorityFeePerGas: '1000000000',
  maxFeePerGas: '3000000000',
};

export const intentInputs: Readonly<Record<string, IntentInput>> = {
  'one leaf, paid in USDC': {
    ...base,
    chainId: 8453,
    expiry: 1_800_000_000,
    validAfter: 0,
    proof: [],
    userOperation: {
      sender,
      nonce,
      callData: '0xdeadbeef',
      ...gas,
      paymaster: localContracts.paymaster,
      paymasterVerificationGasLimit: '120000',
      paymasterPostOpGasLimit: '40000',
    },
  },
  'a tree of four leaves, widest window, paid in ether': {
    ...base,
    chainId: 1,
    expiry: 2 ** 48 - 1,
    validAfter: 2 ** 48 - 2,
    proof: [keccak256(stringToHex('sibling')), keccak256(stringToHex('uncle'))],
    userOperation: { sender, nonce: '0', callData: '0x', ...gas },
  },
};

export type Hook =
  | { readonly hook: 'deposit' | 'redeem'; vault: Address; token: Address; amount: string; minimum: string }
  | { readonly hook: 'approve-paymaster'; amount: string };

export const entriesInputs: Readonly<Record<string, readonly Hook[]>> = {
  deposit: [
    { hook: 'deposit', vault, token: canonical.usdc[8453], amount: '100000000', minimum: '99500000' },
  ],
  'redeem everything': [{ hook: 'redeem', vault, token: canonical.usdc[8453], amount: max, minimum: '1' }],
  rebalance: [
    { hook: 'redeem', vault, token: canonical.usdc[8453], amount: max, minimum: '100000000' },
    { hook: 'deposit', vault: otherVault, token: canonical.usdc[8453], amount: max, minimum: '99500000' },
  ],
  'approve the paymaster': [{ hook: 'approve-paymaster', amount: '100000000' }],
};

export const initializeInput = {
  token: canonical.usdc[8453] as Address,
  paymaster: localContracts.paymaster,
  allowance: '100000000',
};

export const create2Inputs = Object.fromEntries(
  Object.entries({ entryPoint: entryPointDeployment, ...contractDeployments() }).map(
    ([name, { salt, initCode }]) => [
      name,
      { deployer: canonical.create2Deployer as Address, salt, initCodeHash: keccak256(initCode) },
    ],
  ),
);
