import { BaseError, isHex, type Hex } from 'viem';

/** Find the bytes that a call reverted with in the cause chain of its error; `undefined` when there are none. */
export function revertDataOf(error: unknown): Hex | undefined {
  let found: Hex | undefined;
  if (error instanceof BaseError) {
    error.walk((cause) => {
      const data = (cause as { readonly data?: unknown } | undefined)?.data;
      if (isHex(data)) found = data;
      return found !== undefined;
    });
  }
  return found;
}
