/** Say that a connection failed, and by which code of the system; never by its text, which may name the address. */
export function connectionFailed(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? `connection failed (${code})` : 'connection failed';
}
