import { RpcRequestError } from 'viem';
import { walkCauses } from './walk-causes.js';

/** Tell whether a node answered that a call burnt all its gas or time: a verdict on the call, not an outage. */
export function isOutOfGas(error: unknown): boolean {
  const answer = walkCauses(error).find((cause) => cause instanceof RpcRequestError);
  return (
    answer !== undefined &&
    /out ?of ?gas|gas required exceeds|execution (aborted|timeout)/i.test(answer.details)
  );
}
