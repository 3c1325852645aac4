import { ExecutionRevertedError, RpcRequestError } from 'viem';
import { walkCauses } from './walk-causes.js';

/** Tell whether a node answered that the execution reverted: every other node would say the same. */
export function isExecutionRevert(error: unknown): boolean {
  const answer = walkCauses(error).find((cause) => cause instanceof RpcRequestError);
  return (
    answer !== undefined &&
    (answer.code === ExecutionRevertedError.code || ExecutionRevertedError.nodeMessage.test(answer.details))
  );
}
