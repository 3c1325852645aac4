import type { Pending } from '@yield-vault/chains';
import type { VerifiedIntent } from '../types.js';

/** Say what a call that outlives its wait was waiting for. */
export function notIncluded({ userOpHash }: VerifiedIntent): Pending {
  return { detail: 'The operation is not included yet.', details: { userOpHash } };
}
