import type { ForkRequest } from '../rpc/create-fork-request.js';
import type { Liveness } from './create-anvil-fork.js';

/**
 * Ask a node again and again whether it lives.
 *
 * @param onHang - told once, when an answer did not come in time
 * @returns how to stop it
 */
export function watchLiveness(
  ask: ForkRequest,
  { everyMs, deadlineMs }: Liveness,
  onHang: () => void,
): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    timer = setTimeout(() => void ping(), everyMs).unref();
  };
  const ping = async (): Promise<void> => {
    const isAlive = await ask('web3_clientVersion', [], { deadlineMs }).then(
      () => true,
      () => false,
    );
    if (isStopped) return;
    if (isAlive) schedule();
    else onHang();
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
