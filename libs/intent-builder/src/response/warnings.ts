import { formatAmount, usdcDecimals, vaultWarnings, type Warning } from '@yield-vault/protocol';
import type { Earning } from '@yield-vault/vault-metrics';
import { gasReserve } from '../gas/budget.js';
import { spentUsdc, depositVaultOf, isRanked, movesUsdc } from '../request.js';
import type { CheckedRequest, WalletSnapshot } from '../types.js';
import type { GasFigures } from './costs.js';
import { rounded } from './summary.js';

/** List the reasons to look twice at an operation: the USDC for leaving, and the vault that it enters. */
export function warningsOf(
  request: CheckedRequest,
  snapshot: Pick<WalletSnapshot, 'usdcBalance' | 'gasPrice' | 'paymaster'>,
  { expected, exit, mostExit }: Pick<GasFigures, 'expected' | 'exit' | 'mostExit'>,
  minOut: bigint,
  earning: Earning | undefined,
): readonly Warning[] {
  const vault = depositVaultOf(request);
  const ofVault = vault && isRanked(vault) ? vaultWarnings(vault, earning?.assetsUsd ?? 0) : [];
  const isRedeem = request.operation === 'redeem';
  const received = isRedeem && movesUsdc(request) ? minOut : 0n;
  const left = snapshot.usdcBalance - spentUsdc(request) - expected + received;
  const reserve = gasReserve(mostExit, snapshot);
  // Other positions may be left, and only a redeem of USDC brings USDC.
  const isLast = exit === 0n && movesUsdc(request);
  if (isLast || left >= reserve) return ofVault;
  const [has, needs] = [left, reserve].map((amount) => rounded(Number(formatAmount(amount, usdcDecimals))));
  const redeem = isRedeem ? 'a redeem of any other position' : 'a redeem';
  const message = `About ${has} USDC stay in the wallet, and ${redeem} may need ${needs} USDC for gas. Add USDC before you redeem.`;
  return [{ code: 'EXIT_NOT_COVERED', message }, ...ofVault];
}
