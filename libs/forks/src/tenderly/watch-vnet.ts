import type { ForkLogger } from '../ports.js';
import type { Vnet } from './vnet.js';

// One look may fall into a restart of the fork.
const looksUntilEnded = 2;

/** Keeps an eye on one Virtual TestNet. */
export interface VnetWatch {
  /** Look now, since something failed. */
  look(): void;
  stop(): void;
}

/**
 * Notice that a Virtual TestNet is gone. An API that does not answer says nothing about it.
 *
 * @param getVnet asks for it; undefined when there is none
 * @param onEnd called once at most, with a reason
 */
export function watchVnet(
  getVnet: () => Promise<Vnet | undefined>,
  onEnd: (reason: string) => void,
  { intervalMs, logger }: { readonly intervalMs: number; readonly logger: ForkLogger },
): VnetWatch {
  let isLooking = false;
  let isStopped = false;
  let looksNotRunning = 0;

  const stop = () => {
    isStopped = true;
    clearInterval(timer);
  };
  const end = (reason: string) => {
    if (isStopped) return;
    stop();
    onEnd(reason);
  };
  const lookOnce = async () => {
    const vnet = await getVnet();
    if (vnet === undefined) return end('was evicted');
    looksNotRunning = isRunning(vnet) ? 0 : looksNotRunning + 1;
    if (looksNotRunning >= looksUntilEnded) end('is not running');
  };
  const look = () => {
    if (isLooking || isStopped) return;
    isLooking = true;
    void lookOnce()
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'Tenderly does not say whether a fork still runs'),
      )
      .finally(() => {
        isLooking = false;
      });
  };

  const timer = setInterval(look, intervalMs).unref();
  return { look, stop };
}

/** Tell whether it can be used. Not every route tells its status: then it can. */
export function isRunning({ status }: Vnet): boolean {
  return status === undefined || status === 'running';
}
