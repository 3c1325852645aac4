import { decodeGasGrant, decodePermitData, type GasGrant, type PermitData } from '@yield-vault/smart-account';
import { isAddressEqual, type Address, type Hex } from 'viem';
import type { BookDeployment } from './address-book.js';
import { demand, refuse } from './result.js';

/** What an operation lets its paymaster take, besides an allowance that is there already. */
export interface PaymasterData {
  /** The account pays it for this operation. */
  readonly grant?: GasGrant;
  /** Its signature is checked with the expected nonce. */
  readonly permit?: PermitData;
}

export const paymasterField = 'userOps.0.userOperation.paymasterAndData';

/**
 * Read the data of a paymaster, and refuse anything else. The account obeys a grant to any paymaster, so it is read for
 * each. Other data of a service's paymaster is not read: only that service can.
 */
export function readPaymasterData({ paymaster: { kind }, usdc }: BookDeployment, data: Hex): PaymasterData {
  const allow = (condition: boolean, detail: string) =>
    demand(condition, 'PAYMASTER_DATA_NOT_ALLOWED', paymasterField, detail);
  const requireUsdc = (token: Address) =>
    demand(isAddressEqual(token, usdc), 'ASSET_MISMATCH', paymasterField, `It allows ${token} to be taken.`);
  const grant = decodeGasGrant(data);
  if (grant) {
    allow(kind === 'own', 'It grants gas to a paymaster that takes it from an allowance.');
    requireUsdc(grant.token);
    return { grant };
  }
  allow(kind !== 'own', 'It is not a grant of gas.');
  // Circle's paymaster uses the allowance when it gets no data, or its mode alone.
  if (kind === 'erc7677' || data === '0x' || data === '0x00') return {};
  const permit = decodePermitData(data);
  if (!permit)
    return refuse('PAYMASTER_DATA_NOT_ALLOWED', paymasterField, 'It is neither empty nor a permit.');
  requireUsdc(permit.token);
  return { permit };
}
