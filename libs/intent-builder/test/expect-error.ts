import { UpstreamUnavailableError } from '@yield-vault/protocol';

type ErrorClass = new (...args: never[]) => Error;

/** Check that an attempt throws an error of a class with exactly these details. */
export function expectThrown(type: ErrorClass, attempt: () => unknown, details: unknown): void {
  expect(attempt).toThrow(type as new () => Error);
  expect(attempt).toThrow(expect.objectContaining({ details }) as Error);
}

/** Return the error of an attempt that fails. */
export async function errorOf<T extends ErrorClass>(
  type: T,
  attempt: Promise<unknown>,
): Promise<InstanceType<T>> {
  const error = await attempt.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(type);
  return error as InstanceType<T>;
}

export async function expectUnavailable(
  attempt: Promise<unknown>,
  dependency = 'paymaster:base',
): Promise<UpstreamUnavailableError> {
  const error = await errorOf(UpstreamUnavailableError, attempt);
  expect(error).toMatchObject({ details: { dependency } });
  return error;
}
