/** Wait for a result, but no longer than the deadline. A late or failed result becomes the fallback. */
export function withTimeout<T>(result: Promise<T>, deadlineMs: number, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, fallback);
  });
  return Promise.race([result.catch(() => fallback), late]).finally(() => clearTimeout(timer));
}

/** Share one result among all callers within a time. */
export function cacheFor<T>(
  milliseconds: number,
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let last: { readonly readAt: number; readonly result: Promise<T> } | undefined;
  return () => {
    if (!last || now() - last.readAt >= milliseconds) last = { readAt: now(), result: read() };
    return last.result;
  };
}
