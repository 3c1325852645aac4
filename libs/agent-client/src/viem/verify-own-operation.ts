import { sameHex, type UserOperation } from '@yield-vault/protocol';
import { decodeGasGrant } from '@yield-vault/smart-account';
import type { Hex } from 'viem';
import * as z from 'zod';
import type { BookDeployment } from '../verify/address-book.js';
import { paymasterField } from '../verify/paymaster-data.js';
import { parse } from '../verify/read-documents.js';
import { demand, resultOf, type Refusal } from '../verify/result.js';
import { address, hex } from '../wire-values.js';

/** What an operation of the agent's own calls must be. */
export interface OwnOperation {
  /** Of its chain. */
  readonly deployments: readonly BookDeployment[];
  /** The next nonce of the wallet: with another one, a refused operation could be executed beside its repetition. */
  readonly nonce: bigint;
  /** Of the calls. */
  readonly callData: Hex | undefined;
  /** Most wei that its gas may cost without a paymaster. */
  readonly maxFeeWei: bigint;
  /** Most base units of USDC that it may grant to a paymaster. */
  readonly maxGasUsdc: bigint;
}

const quantity = z.bigint().min(0n);
const fields = z.object({
  callGasLimit: quantity,
  verificationGasLimit: quantity,
  preVerificationGas: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  paymaster: address.optional(),
  paymasterData: hex.optional(),
  paymasterVerificationGasLimit: quantity.optional(),
  paymasterPostOpGasLimit: quantity.optional(),
});

/**
 * Verify an operation before it is signed. Clients of bundlers take over every field that a bundler or paymaster service
 * returns, in any type, and the account obeys a grant to any paymaster.
 */
export function verifyOwnOperation(
  operation: UserOperation,
  { deployments, nonce, callData, maxFeeWei, maxGasUsdc }: OwnOperation,
): { readonly ok: true } | Refusal {
  return resultOf(() => {
    const { paymaster, paymasterData = '0x', ...gas } = parse(fields, operation, 'operation');
    demand(operation.nonce === nonce, 'NONCE_MISMATCH', 'nonce', `The next nonce of the wallet is ${nonce}.`);
    demand(
      callData !== undefined && operation.callData === callData,
      'CALLDATA_NOT_ALLOWED',
      'callData',
      'It is not the last that encodeCalls returned. Give `calls` to one operation at a time.',
    );
    if (!paymaster) {
      const units = gas.callGasLimit + gas.verificationGasLimit + gas.preVerificationGas;
      demand(
        units * gas.maxFeePerGas <= maxFeeWei,
        'GAS_TOO_EXPENSIVE',
        'maxFeePerGas',
        `${units} gas at ${gas.maxFeePerGas} wei costs more than ${maxFeeWei} wei. Ask another bundler, or raise maxFeeWei.`,
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
      `It grants ${grant?.maximum} base units of ${grant?.token} to ${paymaster}, and the limit is ${maxGasUsdc} of USDC for the paymaster of the address book.`,
    );
    return { ok: true };
  });
}
