import {
  packPaymasterAndData,
  sameHex,
  unpackPaymasterAndData,
  type UserOperation,
} from '@yield-vault/protocol';
import { decodeGasGrant } from '@yield-vault/smart-account';
import type { BookDeployment } from '../verify/address-book.js';
import { paymasterField } from '../verify/paymaster-data.js';
import { demand, resultOf, type Refusal } from '../verify/result.js';

/** What bounds an operation whose calls are the agent's own. */
export interface OwnOperation {
  /** Of its chain. */
  readonly deployments: readonly BookDeployment[];
  /** Most wei that its gas may cost without a paymaster. */
  readonly maxFeeWei: bigint;
  /** Most base units of USDC that it may grant to a paymaster. */
  readonly maxGasUsdc: bigint;
}

/**
 * Bound what an operation of any calls can cost. Clients take over every field that a bundler or paymaster service returns,
 * and the account obeys a grant to any paymaster.
 */
export function verifyOwnOperation(
  operation: UserOperation,
  { deployments, maxFeeWei, maxGasUsdc }: OwnOperation,
): { readonly ok: true } | Refusal {
  return resultOf(() => {
    // As packed, because a paymaster of another length shifts the data.
    const { paymaster, paymasterData = '0x' } = unpackPaymasterAndData(packPaymasterAndData(operation));
    if (!paymaster) {
      const gas = operation.callGasLimit + operation.verificationGasLimit + operation.preVerificationGas;
      demand(
        gas * operation.maxFeePerGas <= maxFeeWei,
        'GAS_TOO_EXPENSIVE',
        'maxFeePerGas',
        `${gas} gas at ${operation.maxFeePerGas} wei costs more than ${maxFeeWei} wei. Ask another bundler, or raise maxFeeWei.`,
      );
    }
    const grant = decodeGasGrant(paymasterData);
    const isOwn = deployments.some(
      ({ paymaster: own, usdc }) =>
        own.kind === 'own' && sameHex(own.address, paymaster) && sameHex(usdc, grant?.token),
    );
    demand(
      !grant || (isOwn && grant.maximum <= maxGasUsdc),
      'PAYMASTER_DATA_NOT_ALLOWED',
      paymasterField,
      `It grants ${grant?.maximum} base units of ${grant?.token} to ${paymaster}, and the limit is ${maxGasUsdc} USDC for the paymaster of the address book.`,
    );
    return { ok: true };
  });
}
