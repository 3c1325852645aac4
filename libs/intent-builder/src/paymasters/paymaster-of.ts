import type { ActiveChain } from '@yield-vault/chains';
import { circlePaymaster } from './circle-paymaster.js';
import { ownPaymaster } from './own-paymaster.js';
import type { Paymaster } from './paymaster.js';

/** The paymaster that a chain is configured with. */
export function paymasterOf(chain: ActiveChain): Paymaster {
  return chain.paymaster.kind === 'circle' ? circlePaymaster(chain) : ownPaymaster(chain);
}
