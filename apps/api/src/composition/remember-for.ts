/** Ask once for everybody who asks within a time. */
export function rememberFor<T>(
  milliseconds: number,
  ask: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let last: { readonly askedAt: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (!last || now() - last.askedAt >= milliseconds) last = { askedAt: now(), answer: ask() };
    return last.answer;
  };
}
