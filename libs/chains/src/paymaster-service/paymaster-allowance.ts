import { findChainFacts } from '@yield-vault/contracts';
import type { ChainConfig } from '../config/chain-schema.js';

/** No deployment lets a wallet allow a paymaster more, in base units of USDC. */
export const largestAllowanceUsdc = 500_000_000n;

/** Check whether a chain's paymaster takes USDC. A service without a token pays for the wallets. */
export function takesUsdc({ paymaster }: Pick<ChainConfig, 'paymaster'>): boolean {
  return paymaster.kind !== 'erc7677' || paymaster.context['token'] !== undefined;
}

/**
 * Say what a setup allows the paymaster of a chain.
 *
 * @param allowanceUsdc - of the deployment, in base units; the cap of the chain limits it
 * @returns base units of USDC; 0 where the paymaster takes none, or asks the account for it
 */
export function paymasterAllowance(
  chain: Pick<ChainConfig, 'paymaster' | 'chainId'>,
  allowanceUsdc: bigint,
): bigint {
  if (chain.paymaster.kind === 'own' || !takesUsdc(chain)) return 0n;
  const cap = findChainFacts(chain.chainId)?.allowanceCap;
  return cap !== undefined && cap < allowanceUsdc ? cap : allowanceUsdc;
}
