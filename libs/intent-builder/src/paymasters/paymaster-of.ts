import type { ActiveChain } from '@yield-vault/chains';
import { circlePaymaster } from './circle-paymaster.js';
import { ownPaymaster } from './own-paymaster.js';
import type { Paymaster } from './paymaster.js';
import { servicePaymaster } from './service-paymaster.js';

/** The paymaster that a chain is configured with. */
export function paymasterOf(chain: ActiveChain): Paymaster {
  const { paymaster, paymasterService } = chain;
  if (paymasterService) return servicePaymaster(chain, paymasterService);
  return paymaster.kind === 'circle' ? circlePaymaster(chain) : ownPaymaster(chain);
}
