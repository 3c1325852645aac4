import { takesUsdc, type ActiveChain, type PaymasterData, type PaymasterService } from '@yield-vault/chains';
import { postOpPenaltyThreshold } from '@yield-vault/contracts';
import type { UserOperation } from '@yield-vault/protocol';
import { isAddressEqual, maxUint256, type Address } from 'viem';
import { judgeValidation } from './judge-validation.js';
import { paymasterUnavailable } from './paymaster-unavailable.js';
import type { Paymaster, PaymasterTerms } from './paymaster.js';

const weiPerEther = 10n ** 18n;

/**
 * The paymaster of an ERC-7677 service: stub, estimate, final data. What the service has signed is opaque, so that the
 * paymaster itself is asked whether it takes the operation, and until when.
 */
export function servicePaymaster(chain: ActiveChain, service: PaymasterService): Paymaster {
  const requireOurs = <T extends { readonly paymaster: Address }>(answer: T): T => {
    if (isAddressEqual(answer.paymaster, chain.contracts.paymaster)) return answer;
    // The wallet's allowance, and the trust of who signs, are in the configured one.
    throw paymasterUnavailable(chain, 'The service answers for another paymaster than the configured one.');
  };
  return {
    terms: () => (takesUsdc(chain) ? quotedTerms(chain, service, requireOurs) : Promise.resolve(sponsored)),
    stub: async ({ paymasterVerificationGasLimit: _, paymasterPostOpGasLimit: __, ...draft }) => {
      const { isFinal, ...fields } = requireOurs(await service.stubData(draft));
      return { fields, isFinal };
    },
    seal: async (operation, { isFinal, fields }, budget) => {
      const data = isFinal ? fields : requireOurs(await service.data(operation));
      requireLimits(chain, operation, data);
      const { paymasterData } = data;
      const { validUntil, validAfter, taken } = await judgeValidation(chain, { ...operation, paymasterData });
      if (taken > budget) throw paymasterUnavailable(chain, 'The service signs for more than it quotes.');
      return { paymasterData, validUntil, validAfter };
    },
  };
}

const sponsored: PaymasterTerms = {
  validUntil: Infinity,
  operationCeiling: 0n,
  smallestPostOpGas: postOpPenaltyThreshold,
  charge: () => 0n,
};

async function quotedTerms(
  chain: ActiveChain,
  service: PaymasterService,
  requireOurs: <T extends { readonly paymaster: Address }>(answer: T) => T,
): Promise<PaymasterTerms> {
  const { exchangeRate, postOpGas } = requireOurs(await service.tokenQuote(chain.usdc));
  return {
    // That of the quote is not said; what is signed has its own, which `seal` finds out.
    validUntil: Infinity,
    operationCeiling: maxUint256,
    smallestPostOpGas: postOpPenaltyThreshold,
    charge: ({ gas, feePerGas }) => {
      const wei = (gas + postOpGas) * feePerGas;
      return (wei * exchangeRate + weiPerEther - 1n) / weiPerEther;
    },
  };
}

// The limits are part of what is estimated and paid for: data that was signed for others could only fail.
function requireLimits(chain: ActiveChain, operation: UserOperation, data: PaymasterData): void {
  const names = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const;
  if (names.every((name) => data[name] === undefined || data[name] === operation[name])) return;
  throw paymasterUnavailable(chain, 'The service signs for other gas limits than it was asked about.');
}
