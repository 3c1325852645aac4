import { totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import type { PaymasterTerms } from '../paymasters/paymaster.js';
import type { Snapshot } from '../types.js';
import { raise } from './raise.js';

/** Decimals of USDC, on every chain. */
export const usdcDecimals = 6;

// Below what any deposit or redeem has been measured to need as the sum of its limits, so that nobody is refused who
// could pay. What an operation really needs is known after the estimate.
const smallestGas = 300_000n;
// The price is that of the block of inclusion. Without room for it to rise, a deposit of all that is left would revert
// there and still cost its gas.
const priceHeadroomPercent = 102n;

/** The least that the paymaster takes up front for an operation, in base units of USDC. */
export function smallestGasBudget({ paymaster, gasPrice }: Pick<Snapshot, 'paymaster' | 'gasPrice'>): bigint {
  return paymaster.charge({
    gas: smallestGas,
    feePerGas: gasPrice.maxFeePerGas,
    postOpGasLimit: paymaster.smallestPostOpGas,
    callGasLimit: 0n,
  });
}

/**
 * The most that the paymaster takes for an operation, which it takes up front, in base units of USDC: what it takes at
 * the present price of ether, and what a rise until the inclusion may add.
 */
export function gasBudget(terms: PaymasterTerms, operation: UserOperation): bigint {
  const charge = terms.charge({
    gas: totalGasLimit(operation),
    feePerGas: operation.maxFeePerGas,
    postOpGasLimit: operation.paymasterPostOpGasLimit ?? 0n,
    callGasLimit: operation.callGasLimit,
  });
  return raise(charge, priceHeadroomPercent);
}
