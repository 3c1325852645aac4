import { formatAmount, usdcDecimals, vaultWarnings, type Warning } from '@yield-vault/protocol';
import type { Earning } from '@yield-vault/vault-metrics';
import { spentUsdc } from '../balances.js';
import { depositVaultOf, isRanked, movesUsdc } from '../request.js';
import type { CheckedRequest, WalletSnapshot } from '../types.js';
import type { GasFigures } from './costs.js';
import { rounded } from './summary.js';

/** List the reasons to look twice at an operation: the USDC for leaving, and the vault that it enters. */
export function warningsOf(
  request: CheckedRequest,
  { usdcBalance }: Pick<WalletSnapshot, 'usdcBalance'>,
  { expected, exit, mostExit }: Pick<GasFigures, 'expected' | 'exit' | 'mostExit'>,
  minOut: bigint,
  earning: Earning | undefined,
): readonly Warning[] {
  const vault = depositVaultOf(request);
  const ofVault = vault && isRanked(vault) ? vaultWarnings(vault, earning?.assetsUsd ?? 0) : [];
  const received = request.operation === 'redeem' && movesUsdc(request) ? minOut : 0n;
  const left = usdcBalance - spentUsdc(request) - expected + received;
  if (exit === 0n || left >= mostExit) return ofVault;
  const [has, needs] = [left, mostExit].map((amount) => rounded(Number(formatAmount(amount, usdcDecimals))));
  const message = `About ${has} USDC stay in the wallet, and a redeem needs ${needs} USDC for gas. Add USDC before you redeem.`;
  return [{ code: 'EXIT_NOT_COVERED', message }, ...ofVault];
}
