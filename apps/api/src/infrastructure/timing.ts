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
