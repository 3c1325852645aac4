import { asReadFailure as recognise } from '@yield-vault/chains';
import type { SetupChain } from '../ports.js';
import { asOutage } from './as-outage.js';

/**
 * Read why a read of the chain failed. A node that refuses it, such as one that lags behind the block that is asked
 * for, is as good as down; anything else stays what it is.
 */
export function asReadFailure(error: unknown, chain: Pick<SetupChain, 'key' | 'relayMode'>): unknown {
  return asOutage(error, chain, recognise) ?? error;
}
