import type { ActiveChain } from '@yield-vault/chains';
import {
  paymasterCharge,
  paymasterChargeV07,
  postOpPenaltyThreshold,
  usdcPaymasterAbi,
} from '@yield-vault/contracts';
import { allowancePaymaster } from './allowance-paymaster.js';
import type { Paymaster } from './paymaster.js';
import { priceRead } from './price-read.js';

/** The paymaster of our suite: its price runs out with that of its feed. */
export function ownPaymaster(chain: ActiveChain): Paymaster {
  const { paymaster } = chain.contracts;
  const charge = chain.entryPointVersion === '0.7' ? paymasterChargeV07 : paymasterCharge;
  const contract = { address: paymaster, abi: usdcPaymasterAbi } as const;
  return allowancePaymaster(paymaster, async () => {
    const answer = chain.rpc.multicall({
      allowFailure: false,
      contracts: [
        { ...contract, functionName: 'tokenPerNative' },
        { ...contract, functionName: 'operationCeiling' },
      ],
    });
    const [[tokenPerNative, validUntil], operationCeiling] = await priceRead(chain, answer);
    return {
      validUntil,
      operationCeiling,
      // Up to here a roomier limit is free.
      smallestPostOpGas: postOpPenaltyThreshold,
      charge: (use) => charge({ tokenPerNative, ...use }),
    };
  });
}
