/** Wait for a result, but no longer than the deadline. A late or failed result becomes the fallback. */
export function withTimeout<T>(result: Promise<T>, deadlineMs: number, fallback: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, fallback);
  });
  return Promise.race([result.catch(() => fallback), late]).finally(() => clearTimeout(timer));
}
