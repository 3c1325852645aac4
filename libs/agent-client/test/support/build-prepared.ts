import { paymasterCharge } from '@yield-vault/contracts';
import { totalGasLimit, type PreparedIntentEnvelope, type UserOperation } from '@yield-vault/protocol';
import {
  delegationCode,
  encodeAccountCall,
  encodeGasGrant,
  nonceKey,
  type ExecutorHook,
} from '@yield-vault/smart-account';
import { buildIntentEnvelope, testAccount } from '@yield-vault/testing';
import type { EnvelopeExpectations, ExpectedOperation } from '../../src/index.js';
import { local, ofCircle, otherVault, usdc, vault } from './book.js';

/** Unix seconds at which the tests happen. */
export const now = 1_800_000_000;
export const wallet = testAccount('owner').address;
export const clock = { now: () => now * 1000 };
/** Unix seconds at which an envelope expires that the machine's clock judges. */
export const soon = () => Math.floor(Date.now() / 1_000) + 600;

export const deposit = {
  hook: 'deposit',
  vault,
  token: usdc,
  amount: 25_000_000n,
  minShares: 24_870_000_000_000_000_000n,
} as const satisfies ExecutorHook;
export const redeem = {
  hook: 'redeem',
  vault,
  token: usdc,
  shares: 7_000_000_000_000_000_000n,
  minAssets: 6_965_000n,
} as const satisfies ExecutorHook;
export const redeemAll = { ...redeem, shares: 'all' } as const satisfies ExecutorHook;
export const depositPrevious = {
  ...deposit,
  vault: otherVault,
  amount: 'previous',
  minShares: 6_900_000n,
} as const satisfies ExecutorHook;
/** As prepare sets the allowance of Circle's paymaster. */
export const topUp = {
  hook: 'approve',
  spender: ofCircle.paymaster.address,
  token: usdc,
  amount: 100_000_000n,
} as const satisfies ExecutorHook;

/** Parts of an envelope; a test gives only the parts that it is about. */
export interface PreparedParts {
  readonly hooks?: readonly ExecutorHook[];
  readonly deployment?: typeof local;
  readonly chainId?: number;
  readonly expiry?: number;
  readonly validAfter?: number;
  readonly operation?: Partial<UserOperation>;
}

/** Build an envelope as prepare does. With any change it still agrees with itself, as a forger's would. */
export function buildPrepared(parts: PreparedParts = {}): PreparedIntentEnvelope {
  const { hooks = [deposit], deployment = local, operation, ...window } = parts;
  const gas = { ...defaultGas, ...operation };
  return buildIntentEnvelope({
    chainId: deployment.chainId,
    entryPoint: deployment.entryPoint,
    validator: deployment.validator,
    expiry: now + 600,
    ...window,
    operation: {
      nonce: (nonceKey(deployment.validator) << 64n) | 7n,
      callData: encodeAccountCall(hooks),
      paymaster: deployment.paymaster.address,
      paymasterData:
        deployment.paymaster.kind === 'own'
          ? encodeGasGrant({ token: deployment.usdc, maximum: prefundOf(gas) })
          : '0x',
      ...gas,
    },
  });
}

const defaultGas = {
  callGasLimit: 320_000n,
  verificationGasLimit: 90_000n,
  preVerificationGas: 55_000n,
  maxFeePerGas: 250_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  paymasterVerificationGasLimit: 120_000n,
  paymasterPostOpGasLimit: 45_000n,
};

// 2,500 dollars for an ether and a markup of 5 %.
const tokenPerNative = 2_625_000_000n;

/** The most that our paymaster asks for an operation. */
const prefundOf = (gas: typeof defaultGas): bigint =>
  paymasterCharge({
    tokenPerNative,
    gas: totalGasLimit(gas as UserOperation),
    feePerGas: gas.maxFeePerGas,
    postOpGasLimit: gas.paymasterPostOpGasLimit,
  });

export const expectedDeposit: ExpectedOperation = {
  kind: 'deposit',
  vault,
  amount: deposit.amount,
  minShares: deposit.minShares,
};
export const expectedRedeem: ExpectedOperation = {
  kind: 'redeem',
  vault,
  shares: redeem.shares,
  minAssets: redeem.minAssets,
};
export const expectedRebalance: ExpectedOperation = {
  kind: 'rebalance',
  from: vault,
  to: otherVault,
  minAssets: redeem.minAssets,
  minShares: depositPrevious.minShares,
};

/** The request of the agent in these tests, a deposit by default. */
export function buildExpectations(overrides: Partial<EnvelopeExpectations> = {}): EnvelopeExpectations {
  return {
    wallet,
    chain: 'base',
    walletCode: delegationCode(local.account),
    operation: expectedDeposit,
    ...overrides,
  };
}

/** The operations that prepare builds, each with its request. */
export const operations: readonly (readonly [
  name: string,
  hooks: readonly ExecutorHook[],
  operation: ExpectedOperation,
  deployment: typeof local,
])[] = [
  ['deposit', [{ ...deposit, keepOne: true }], expectedDeposit, local],
  ['redeem', [redeem], expectedRedeem, local],
  ['redeem all', [redeemAll], { ...expectedRedeem, shares: 'all' } as ExpectedOperation, local],
  ['rebalance', [redeemAll, depositPrevious], expectedRebalance, local],
  ['deposit with a top-up', [deposit, topUp], expectedDeposit, ofCircle],
  ['rebalance with a top-up', [redeemAll, depositPrevious, topUp], expectedRebalance, ofCircle],
];
