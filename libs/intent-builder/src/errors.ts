/** The paymaster may not take what the operation can cost. Never leaves this library: it becomes a setup. */
export class AllowanceTooLowError extends Error {
  override readonly name = 'AllowanceTooLowError';
}
