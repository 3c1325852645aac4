import { totalGasLimit, usdcDecimals, type UserOperation } from '@yield-vault/protocol';
import { encodeAbiParameters, keccak256, numberToHex, type StateOverride } from 'viem';
import { spentUsdc } from '../request.js';
import type { CheckedRequest, WalletSnapshot } from '../types.js';
import type { PaymasterTerms } from '../paymasters/types.js';

// Less than any measured sum of limits. The estimate finds the real need.
const smallestGas = 250_000n;
// The paymaster's price may be refreshed until inclusion. Without this margin, a rise would exceed what the wallet granted. The
// 2 % also leave at least 1 base unit, so the refund writes to a non-zero slot.
const priceMarginPercent = 102n;
/** The base fee may rise to 1.125 times itself per block. This is only an upper limit: the operation pays the fee of its block. */
export const feeMarginPercent = 125n;
// After two minutes of full blocks: 1.125^10 = 3.25 on Ethereum, 1.02^60 = 3.28 on Base. The tip does not follow the base fee.
const highestBaseFeePercent = 330n;
// In these minutes ether can get more expensive, and a vault can write new storage. Alto's estimate varies, too: by 16 %
// where it finds storage warm behind other operations.
const driftPercent = 125n;
// Above every bundler's estimate.
const ampleGasBudgets = 10n;
const assumedUsdc = 1_000_000n * 10n ** BigInt(usdcDecimals);
// Storage slot of the balances of FiatToken 2.2.
const fiatTokenBalanceSlot = 9;

/** Apply a percentage to an amount, rounded up. */
export const applyMargin = (amount: bigint, percent: bigint): bigint => (amount * percent + 99n) / 100n;

/**
 * Compute the most that the gas of an operation may cost, in base units of USDC: the prefund at the present price of ether,
 * and a margin until inclusion. The paymaster's final charge is at most this prefund.
 */
export function gasBudget(terms: PaymasterTerms, operation: UserOperation): bigint {
  const charge = terms.charge({
    gas: totalGasLimit(operation),
    feePerGas: operation.maxFeePerGas,
    postOpGasLimit: operation.paymasterPostOpGasLimit ?? 0n,
  });
  return applyMargin(charge, priceMarginPercent);
}

/**
 * The gas budget that a refusal names: the most that the same operation may cost in the next two minutes, in base units
 * of USDC.
 */
export function gasReserve(
  budget: bigint,
  { gasPrice, paymaster }: Pick<WalletSnapshot, 'gasPrice' | 'paymaster'>,
): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas: tip } = gasPrice;
  const { smallestPostOpGas, laterPostOpGas } = paymaster;
  const gas = laterPostOpGas - smallestPostOpGas;
  const feePerGas = applyMargin(maxFeePerGas, feeMarginPercent);
  const refresh = gas > 0n ? paymaster.charge({ gas, feePerGas, postOpGasLimit: laterPostOpGas }) : 0n;
  const baseFee = maxFeePerGas > tip ? maxFeePerGas - tip : 0n;
  const highestFee = maxFeePerGas - baseFee + applyMargin(baseFee, highestBaseFeePercent);
  const present = maxFeePerGas > 0n ? maxFeePerGas : 1n;
  return applyMargin(((budget + refresh) * highestFee) / present, driftPercent);
}

/** The cost of the smallest operation, or of one with this much gas, in base units of USDC. */
export function smallestGasBudget(
  { paymaster, gasPrice }: Pick<WalletSnapshot, 'paymaster' | 'gasPrice'>,
  gas = smallestGas,
): bigint {
  return paymaster.charge({
    gas,
    feePerGas: gasPrice.maxFeePerGas,
    postOpGasLimit: paymaster.smallestPostOpGas,
  });
}

/**
 * Override the balance of USDC for an estimate, where the wallet's own may not pay for gas.
 *
 * @returns `undefined` for a wallet with enough
 */
export function usdcOverride(request: CheckedRequest, snapshot: WalletSnapshot): StateOverride | undefined {
  const { usdcBalance } = snapshot;
  if (usdcBalance - spentUsdc(request) >= ampleGasBudgets * smallestGasBudget(snapshot)) return undefined;
  const mapping = [{ type: 'address' }, { type: 'uint256' }] as const;
  const { usdc, fork } = request.chain;
  const balanceSlot = BigInt(fork.usdcBalanceSlot ?? fiatTokenBalanceSlot);
  const slot = keccak256(encodeAbiParameters(mapping, [request.wallet, balanceSlot]));
  const value = numberToHex(usdcBalance + assumedUsdc, { size: 32 });
  return [{ address: usdc, stateDiff: [{ slot, value }] }];
}
