import type { ChainConfig } from '../config/chain-schema.js';

/** Check whether a chain's paymaster takes USDC. A service without a token pays for the wallets. */
export function takesUsdc({ paymaster }: Pick<ChainConfig, 'paymaster'>): boolean {
  return paymaster.kind !== 'erc7677' || paymaster.context['token'] !== undefined;
}

/**
 * Say what a setup allows the paymaster of a chain.
 *
 * @param allowanceUsdc - of the deployment, in base units
 * @returns base units of USDC; nothing where the paymaster takes none
 */
export function paymasterAllowance(chain: Pick<ChainConfig, 'paymaster'>, allowanceUsdc: bigint): bigint {
  return takesUsdc(chain) ? allowanceUsdc : 0n;
}
