import type { UserOperationGas } from '@yield-vault/chains';
import { maxBigInt, minBigInt } from '@yield-vault/protocol';
import { applyMargin } from './balances.js';
import type { PaymasterStub, PaymasterTerms } from './types.js';

// Gas can rise after the estimate: the vault earns, and storage that was read cheaply becomes expensive.
const marginsPercent = { call: 130n, verification: 115n, preVerification: 105n } as const;
// EntryPoint v0.8 takes a tenth of the unused call gas from 40k on.
const largestCallMargin = 39_000n;
// What Alto estimates for our account on cold storage. Behind another operation of the paymaster it finds less.
const smallestVerificationGas = 69_000n;

/** Raise an estimate to limits that still hold when the operation runs. */
export function withMargins(
  gas: UserOperationGas,
  { smallestPostOpGas }: PaymasterTerms,
  { smallestVerificationGas: smallestPaymasterGas = 0n }: PaymasterStub,
): UserOperationGas {
  const { call, verification, preVerification } = marginsPercent;
  const postOp = applyMargin(gas.paymasterPostOpGasLimit, verification);
  const validation = applyMargin(gas.paymasterVerificationGasLimit, verification);
  return {
    callGasLimit: minBigInt(applyMargin(gas.callGasLimit, call), gas.callGasLimit + largestCallMargin),
    verificationGasLimit: maxBigInt(
      applyMargin(gas.verificationGasLimit, verification),
      smallestVerificationGas,
    ),
    preVerificationGas: applyMargin(gas.preVerificationGas, preVerification),
    paymasterVerificationGasLimit: maxBigInt(validation, smallestPaymasterGas),
    paymasterPostOpGasLimit: maxBigInt(postOp, smallestPostOpGas),
  };
}
