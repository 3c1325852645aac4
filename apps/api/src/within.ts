/** Wait for an answer, but never longer than the deadline: no answer, or a failure, is the other value. */
export function within<T>(answer: Promise<T>, deadlineMs: number, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, otherwise);
  });
  return Promise.race([answer.catch(() => otherwise), late]).finally(() => clearTimeout(timer));
}
