/** What a command found, as the exit code of the process. */
export const exitCodes = { ok: 0, refused: 1, failed: 2 } as const;

/** A failure whose message is all that there is to say. */
export class CommandFailure extends Error {}
