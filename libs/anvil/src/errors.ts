/** A program that is needed is not on this machine. The message says how to get it. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError';
}

/** A process did not get ready, or ended while it was needed. */
export class ProcessFailedError extends Error {
  override readonly name = 'ProcessFailedError';
}
