import { canonical, chainFacts, localContracts, walletContracts } from '@yield-vault/contracts';
import type { ExecuteRequest, UserOperation } from '@yield-vault/protocol';
import { encodeAccountCall, encodeGasGrant, nonceKey, type ExecutorHook } from '@yield-vault/smart-account';
import {
  buildIntentEnvelope,
  buildRankedVault,
  signIntent,
  testAccount,
  testKey,
  type IntentEnvelopeParts,
} from '@yield-vault/testing';
import type { Hex } from 'viem';

export const chainId = 8453;
export const usdc = chainFacts(chainId).usdc.address;
/** What the wallet pays our paymaster at most. */
export const grant = encodeGasGrant({ token: usdc, maximum: 5_000_000n });
export const owner = testAccount('owner');
export const vault = buildRankedVault();
export const otherVault = buildRankedVault({
  vaultAddress: '0x00000000000000000000000000000000000000b2',
  name: 'Faster USDC',
});
export const unlistedVault = buildRankedVault({
  vaultAddress: '0x00000000000000000000000000000000000000c3',
  listed: false,
  exclusions: ['paused'],
});

export const deposit: ExecutorHook = {
  hook: 'deposit',
  vault: vault.vaultAddress,
  token: vault.asset.address,
  amount: 10_000_000n,
  minShares: 1n,
};
export const redeem: ExecutorHook = {
  hook: 'redeem',
  vault: vault.vaultAddress,
  token: vault.asset.address,
  shares: 'all',
  minAssets: 1n,
};
export const depositPrevious: ExecutorHook = {
  ...deposit,
  vault: otherVault.vaultAddress,
  amount: 'previous',
};

/** Parts of an execute request; a test gives only the parts that it is about. */
export interface IntentParts extends Omit<IntentEnvelopeParts, 'operation'> {
  readonly operation?: Partial<UserOperation>;
  readonly hooks?: readonly ExecutorHook[];
  /** Sequence of the nonce. */
  readonly sequence?: bigint;
  readonly key?: Hex;
}

let sequences = 0n;

/** Build a signed execute request that passes every check; each one has a nonce of its own. */
export async function buildIntent(parts: IntentParts = {}): Promise<ExecuteRequest> {
  const { operation, hooks = [deposit], sequence = sequences++, key = testKey('owner'), ...envelope } = parts;
  const intentEnvelope = buildIntentEnvelope({
    chainId,
    entryPoint: canonical.entryPointV08,
    validator: walletContracts.validator,
    ...envelope,
    operation: {
      nonce: (nonceKey(walletContracts.validator) << 64n) | sequence,
      callData: encodeAccountCall(hooks),
      paymaster: localContracts(chainId).paymaster,
      paymasterVerificationGasLimit: 100_000n,
      paymasterPostOpGasLimit: 50_000n,
      paymasterData: grant,
      ...operation,
    },
  });
  return { intentEnvelope, intentSignature: await signIntent(intentEnvelope.signing, key) };
}
