import { formatAmount, usdcDecimals, type ExecutionCosts, type Warning } from '@yield-vault/protocol';
import { depositVaultOf, isRanked, sharesOf } from '../request.js';
import type { CheckedRequest, WalletSnapshot } from '../types.js';
import type { GasFigures } from './costs.js';

/** The numbers of a summary. */
export interface SummaryFacts {
  readonly minOut: bigint;
  readonly costs: ExecutionCosts;
  readonly gas: Pick<GasFigures, 'most' | 'exit'>;
  readonly warnings: readonly Warning[];
}

/** Say in plain words what signing an operation does, what it costs, and what to look at twice. */
export function summarise(request: CheckedRequest, snapshot: WalletSnapshot, facts: SummaryFacts): string {
  const sentences = [
    describeEffect(request, snapshot, facts.minOut),
    ...describeCosts(request, facts),
    ...facts.warnings.map(({ message }) => `Warning: ${message}`),
  ];
  return sentences.join(' ');
}

/** Say in plain words what an operation does. */
export function describeEffect(
  request: CheckedRequest,
  { shareBalance }: Pick<WalletSnapshot, 'shareBalance'>,
  minOut: bigint,
): string {
  const { chain, vault } = request;
  const { symbol, decimals } = vault.asset;
  if (request.operation === 'deposit') {
    const shares = formatAmount(minOut, vault.shareDecimals);
    const assets = formatAmount(request.assets, decimals);
    return `Deposits ${assets} ${symbol} into ${vault.name} on ${chain.name} for at least ${shares} shares.`;
  }
  const redeemed = formatAmount(sharesOf(request, shareBalance), vault.shareDecimals);
  if (request.operation === 'redeem') {
    const assets = formatAmount(minOut, decimals);
    return `Redeems ${redeemed} shares of ${vault.name} on ${chain.name} for at least ${assets} ${symbol}.`;
  }
  const shares = formatAmount(minOut, request.target.shareDecimals);
  return `Moves all ${redeemed} shares of ${vault.name} on ${chain.name} into ${request.target.name} for at least ${shares} of its shares.`;
}

function* describeCosts(
  request: CheckedRequest,
  { costs, gas: { most, exit } }: SummaryFacts,
): Generator<string> {
  if (most === 0n) {
    yield 'Gas is paid by the service.';
    return;
  }
  const { gasUsd, exitGasUsd, breakEvenDays } = costs;
  yield `Gas is paid in USDC: about ${rounded(gasUsd)}, at most ${formatAmount(most, usdcDecimals)}.`;
  if (exit > 0n) yield `Redeeming everything later costs about ${rounded(exitGasUsd)}.`;
  const vault = depositVaultOf(request);
  if (!vault) return;
  if (!isRanked(vault)) {
    yield `The yield of ${vault.name} is unknown, and so is the time until it pays for both.`;
    return;
  }
  const { apy, assetPriceUsd, asset } = vault;
  const gain = request.operation === 'rebalance' ? 'the gain over the present vault' : 'the yield';
  const rate = `At the ${rounded(apy.month)} % APY of the last month`;
  const time = breakEvenDays !== null && (breakEvenDays <= 1 ? 'a day' : `${Math.ceil(breakEvenDays)} days`);
  if (time) yield `${rate}, ${gain} pays for both within ${time}.`;
  else if (assetPriceUsd > 0) yield `${rate}, ${gain} never pays for them.`;
  else yield `The price of ${asset.symbol} is unknown, and so is the time until ${gain} pays for both.`;
}

// Two digits are as exact as an estimate is.
export const rounded = (value: number): string =>
  Math.abs(value) >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
