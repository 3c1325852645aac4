import { createActiveChains, type Bundler } from '@yield-vault/chains';
import { canonical, chainFacts, localContracts, paymasterCharge } from '@yield-vault/contracts';
import { buildRankedVault } from '@yield-vault/testing';
import type { IntentBuilderOptions } from '../src/intents-schema.js';
import { ownPaymaster } from '../src/paymasters/paymaster.js';
import type { DepositVaultReadings, CheckedRequest, WalletSnapshot } from '../src/types.js';
import type { PaymasterTerms } from '../src/paymasters/types.js';

/** Chains without a node: every call is an outage. */
export const chains = createActiveChains({
  chains: {
    base: {
      chainId: 8453,
      name: 'Base',
      relayMode: 'chain',
      confirmations: 0,
      rpcUrls: ['http://127.0.0.1:1'],
      bundlerUrls: ['http://127.0.0.1:1'],
      explorerUrl: 'https://explorer.example',
      entryPoint: canonical.entryPointV08,
      paymaster: { kind: 'own' },
      contracts: localContracts(8453),
      usdc: chainFacts(8453).usdc.address,
      fork: { opStack: false, bundlerAccounts: [] },
      deadlines: { rpcMs: 500, bundlerMs: 500 },
    },
  },
});

export const options: IntentBuilderOptions = {
  expirySeconds: 600,
  validAfterSeconds: 0,
  ticketLifetimeSeconds: 900,
  maxSlippageBps: 50,
  minShares: 1_000n,
  maxRoundTripLossBps: 50,
  maxPriceJumpBps: 200,
  paymasterAllowanceUsdc: 100_000_000n,
};

/** 2026-09-21T15:00:00Z in milliseconds. */
export const nowMs = 1_790_002_800_000;

/** Build a checked deposit of 25 USDC. */
export function buildRequest(overrides: Partial<CheckedRequest> = {}): CheckedRequest {
  const deposit = {
    chain: chains.require('base'),
    wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    vault: buildRankedVault(),
    operation: 'deposit',
    assets: 25_000_000n,
  };
  return { ...deposit, ...overrides } as CheckedRequest;
}

/** Build the terms of our paymaster at 3000 USDC for one ether, for an hour. */
export function buildTerms(overrides: Partial<PaymasterTerms> = {}): PaymasterTerms {
  return {
    validUntil: nowMs / 1000 + 3_600,
    operationCeiling: 50_000_000n,
    smallestPostOpGas: 40_000n,
    laterPostOpGas: 40_000n,
    charge: (use) => paymasterCharge({ tokenPerNative: 3_000_000_000n, ...use }),
    ...overrides,
  };
}

/** Our paymaster. */
export const paymaster = ownPaymaster(chains.require('base'));

/** Build the local Base with Circle's paymaster, which needs an allowance. */
export const circleChain = () => ({ ...chains.require('base'), paymaster: { kind: 'circle' } as const });

/** Build a bundler that always returns the same estimate by default. */
export function buildBundler(overrides: Partial<Bundler> = {}): Bundler {
  return {
    estimate: () =>
      Promise.resolve({
        callGasLimit: 100_000n,
        verificationGasLimit: 60_000n,
        preVerificationGas: 50_000n,
        paymasterVerificationGasLimit: 80_000n,
        paymasterPostOpGasLimit: 20_000n,
      }),
    ...overrides,
  } as Bundler;
}

/** Build the reads of a healthy vault for a deposit of 25 USDC. */
export function buildDepositVault(overrides: Partial<DepositVaultReadings> = {}): DepositVaultReadings {
  const { asset, shareDecimals } = buildRankedVault();
  return {
    asset: { value: asset.address },
    assetDecimals: { value: asset.decimals },
    shareDecimals: { value: shareDecimals },
    totalShares: { value: 24_000_000n * 10n ** 18n },
    deposited: { value: 24n * 10n ** 18n },
    returned: { value: 24_999_999n },
    price: { value: 1_041_666_666_666n },
    ...overrides,
  };
}

/** Build the snapshot of a wallet that has 1000 USDC and 10 shares. */
export function buildSnapshot(overrides: Partial<WalletSnapshot> = {}): WalletSnapshot {
  return {
    paymasterAllowance: 100_000_000n,
    nonce: 3n,
    assetBalance: 1_000_000_000n,
    usdcBalance: 1_000_000_000n,
    shareBalance: 10n * 10n ** 18n,
    redeemed: undefined,
    depositVault: buildDepositVault(),
    gasPrice: { maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 1_000_000n },
    fees: {
      maxFeePerGas: 1_000_000_000n,
      maxPriorityFeePerGas: 1_000_000n,
      presentFeePerGas: 800_000_000n,
      l1FeeWei: 0n,
    },
    bundler: buildBundler(),
    paymaster: buildTerms(),
    ...overrides,
  };
}
