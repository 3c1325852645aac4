import { decodeRevertReason } from '@yield-vault/contracts';
import { delegationCode } from '@yield-vault/smart-account';
import { BaseError, isHex, type Address } from 'viem';
import { UnsetupRefusedError } from '../errors.js';
import type { DelegationReport, UnsetupRpc } from '../types.js';
import { isOutage } from './is-outage.js';
import type { PlannedStep } from './plan-unsetup.js';

// EIP-7702 takes this much for an authorization before it gives a part back; estimates are made without one.
const authorizationGas = 25_000n;
const transferGas = 21_000n;
const marginPercent = 125n;

/**
 * Find out how much gas a step needs, and that it would not revert.
 *
 * @throws {UnsetupRefusedError} when it would
 */
export async function gasLimitOf(
  rpc: Pick<UnsetupRpc, 'estimateGas'>,
  { wallet, delegation }: DelegationReport,
  { to, data, delegateTo }: PlannedStep,
): Promise<bigint> {
  // The call runs after the authorization: of a wallet that delegates to nothing there is nothing left to run.
  const call = data === '0x' ? transferGas : await estimate();
  return (call * marginPercent) / 100n + (delegateTo ? authorizationGas : 0n);

  async function estimate(): Promise<bigint> {
    try {
      return await rpc.estimateGas({ account: wallet, to, data, ...overrideOf(delegateTo) });
    } catch (error) {
      if (isOutage(error)) throw error;
      throw new UnsetupRefusedError(reasonOf(error), error);
    }
  }

  function overrideOf(implementation: Address | null) {
    const runsOwnCode = to === wallet && implementation !== null && delegation.kind !== 'ours';
    if (!runsOwnCode) return {};
    return { stateOverride: [{ address: wallet, code: delegationCode(implementation) }] };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof BaseError)) return 'NO_REASON';
  const revert = error.walk((cause) => isHex((cause as { readonly data?: unknown } | null)?.data));
  return revert
    ? decodeRevertReason((revert as unknown as { readonly data: `0x${string}` }).data)
    : error.shortMessage;
}
