import type { ActiveChain } from '@yield-vault/chains';
import { postOpPenaltyThreshold } from '@yield-vault/contracts';
import { maxUint256, parseAbi } from 'viem';
import { allowancePaymaster } from './allowance-paymaster.js';
import { circleCharge } from './circle-charge.js';
import type { Paymaster } from './paymaster.js';
import { priceRead } from './price-read.js';

const circlePaymasterAbi = parseAbi([
  'function fetchPrice() view returns (uint256)',
  'function additionalGasCharge() view returns (uint32)',
  'function feeSpread() view returns (uint32)',
]);

/**
 * Circle's paymaster. Its price has no end and its charge no ceiling: what it may take is bounded by the allowance.
 * It takes no operation that leaves `postOp` less gas than it charges for.
 */
export function circlePaymaster(chain: ActiveChain): Paymaster {
  const { paymaster } = chain.contracts;
  const contract = { address: paymaster, abi: circlePaymasterAbi } as const;
  return allowancePaymaster(paymaster, async () => {
    const answer = chain.rpc.multicall({
      allowFailure: false,
      contracts: [
        { ...contract, functionName: 'fetchPrice' },
        { ...contract, functionName: 'additionalGasCharge' },
        { ...contract, functionName: 'feeSpread' },
      ],
    });
    const [tokenPerNative, additionalGas, spreadBps] = await priceRead(chain, answer);
    const additionalGasCharge = BigInt(additionalGas);
    return {
      validUntil: Infinity,
      operationCeiling: maxUint256,
      smallestPostOpGas:
        additionalGasCharge > postOpPenaltyThreshold ? additionalGasCharge : postOpPenaltyThreshold,
      charge: (use) =>
        circleCharge({ tokenPerNative, additionalGasCharge, feeSpreadBps: BigInt(spreadBps) }, use),
    };
  });
}
