import { sameHex, type UserOperation } from '@yield-vault/protocol';
import { decodeGasGrant } from '@yield-vault/smart-account';
import { isAddress, type Hex } from 'viem';
import type { BookDeployment } from '../verify/address-book.js';
import { paymasterField } from '../verify/paymaster-data.js';
import { demand, resultOf, type Refusal } from '../verify/result.js';

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

const isBytes = (value: unknown) =>
  value === undefined || (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value));
const isQuantity = (value: unknown) => value === undefined || (typeof value === 'bigint' && value >= 0n);

/**
 * Verify an operation before it is signed. Clients of bundlers take over every field that a bundler or paymaster service
 * returns, in any type, and the account obeys a grant to any paymaster.
 */
export function verifyOwnOperation(
  operation: UserOperation,
  { deployments, nonce, callData, maxFeeWei, maxGasUsdc }: OwnOperation,
): { readonly ok: true } | Refusal {
  return resultOf(() => {
    const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas } = operation;
    const { maxPriorityFeePerGas, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = operation;
    const quantities = { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas };
    const others = { maxPriorityFeePerGas, paymasterVerificationGasLimit, paymasterPostOpGasLimit };
    for (const [field, value] of Object.entries({ ...quantities, ...others }))
      demand(isQuantity(value), 'MALFORMED', field, 'It is not a bigint from 0.');
    const { paymaster, paymasterData } = operation;
    demand(isBytes(paymasterData), 'MALFORMED', 'paymasterData', 'It is not hex of whole bytes.');
    demand(
      paymaster === undefined || isAddress(paymaster, { strict: false }),
      'MALFORMED',
      'paymaster',
      'It is not an address.',
    );
    demand(operation.nonce === nonce, 'NONCE_MISMATCH', 'nonce', `The next nonce of the wallet is ${nonce}.`);
    demand(
      callData !== undefined && operation.callData === callData,
      'CALLDATA_NOT_ALLOWED',
      'callData',
      'It is not the last that encodeCalls returned. Give `calls` to one operation at a time.',
    );
    if (!paymaster) {
      const gas = callGasLimit + verificationGasLimit + preVerificationGas;
      demand(
        gas * maxFeePerGas <= maxFeeWei,
        'GAS_TOO_EXPENSIVE',
        'maxFeePerGas',
        `${gas} gas at ${maxFeePerGas} wei costs more than ${maxFeeWei} wei. Ask another bundler, or raise maxFeeWei.`,
      );
    }
    const grant = decodeGasGrant(paymasterData ?? '0x');
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
