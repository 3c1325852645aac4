import { BaseError } from 'viem';

/**
 * A call to a dependency got no usable response. It is what the RPC client of a chain throws, a viem error so that it
 * passes through viem's own wrapping; `asUpstreamError` turns it into the error of the interface. Its text names no
 * URL, since an endpoint may carry a credential.
 */
export class UpstreamFailure extends BaseError {
  override readonly name = 'UpstreamFailure';

  constructor(
    readonly dependency: string,
    readonly reason: string,
    readonly retryAfterSeconds?: number,
    /** The call never left this process. */
    readonly isUnsent = false,
  ) {
    super(`${dependency}: ${reason}`);
  }
}
