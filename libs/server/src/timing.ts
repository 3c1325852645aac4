import type { Logger } from 'pino';

/** Wait for a result, but no longer than the deadline. A late or failed result becomes the fallback. */
export function withTimeout<T>(result: Promise<T>, deadlineMs: number, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, fallback);
  });
  return Promise.race([result.catch(() => fallback), late]).finally(() => clearTimeout(timer));
}

/** Wait until a part has ended, up to a deadline. Neither delay nor failure keeps the other parts from ending. */
export async function endWithin(
  deadlineMs: number,
  ending: Promise<unknown>,
  logger: Logger,
  late: string,
): Promise<void> {
  const outcome = ending.then(
    () => 'ended',
    (err: unknown) => logger.error({ err }, 'closing failed'),
  );
  if ((await withTimeout(outcome, deadlineMs, 'late')) === 'late') logger.warn(late);
}
