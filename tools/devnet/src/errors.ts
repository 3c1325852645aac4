/** A port that was asked for is in use. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';

  constructor(
    readonly port: number,
    /** What the port was for, in words. */
    readonly purpose: string,
    readonly variable: string,
  ) {
    super(
      `Port ${String(port)} (${purpose}) is in use. Set ${variable} to another port, or to 0 for any free one.`,
    );
  }
}
