import { UpstreamUnavailableError } from '@yield-vault/protocol';

const retryAfterSeconds = 1;

/** Say that a chain gives no usable answer, e.g. `rpc:base: block 7 was replaced.`. */
export function unavailable(dependency: string, reason: string): UpstreamUnavailableError {
  return new UpstreamUnavailableError({
    detail: `${dependency}: ${reason}.`,
    details: { dependency },
    retryAfterSeconds,
  });
}
