/**
 * Ask again and again whether a node lives.
 *
 * @param onHang - told once, when it does not
 * @returns how to stop it
 */
export function watchLiveness(
  isAlive: () => Promise<boolean>,
  everyMs: number,
  onHang: () => void,
): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    timer = setTimeout(() => void ping(), everyMs).unref();
  };
  const ping = async (): Promise<void> => {
    const lives = await isAlive();
    if (isStopped) return;
    if (lives) schedule();
    else onHang();
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
