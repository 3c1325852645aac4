import type { BaseError } from 'viem';

type Viem = typeof import('viem');

/** The error classes of viem by name. */
export type ViemErrors = {
  [Name in Extract<keyof Viem, `${string}Error`>]: Viem[Name] extends new (...args: never[]) => infer Failure
    ? Failure
    : never;
};

/** List an error with everything that caused it, outermost first. Causes may be plain objects. */
export function walkCauses(error: unknown): readonly object[] {
  const chain: object[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || chain.includes(value)) return;
    chain.push(value);
    visit((value as { cause?: unknown }).cause);
    if (value instanceof AggregateError) value.errors.forEach(visit);
  };
  visit(error);
  return chain;
}

/**
 * Recognise an error by its name. A class would not do: an importer may have two copies of viem or of our libraries.
 *
 * @example
 * isNamed(error, 'RpcRequestError') && error.code;
 * isNamed<BundlerRejection>(error, 'BundlerRejection') && error.bundlerCode;
 */
export function isNamed<Name extends keyof ViemErrors>(error: unknown, name: Name): error is ViemErrors[Name];
export function isNamed<Failure extends Error>(error: unknown, name: Failure['name']): error is Failure;
export function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** Find the first error with this name in the cause chain; see `isNamed`. */
export function findError<Name extends keyof ViemErrors>(
  error: unknown,
  name: Name,
): ViemErrors[Name] | undefined;
export function findError<Failure extends Error>(error: unknown, name: Failure['name']): Failure | undefined;
export function findError(error: unknown, name: string): object | undefined {
  return walkCauses(error).find((cause) => isNamed<Error>(cause, name));
}

/** Recognise any error of viem. Its `shortMessage` contains neither the URL of the node nor the request. */
export function isViemError(error: unknown): error is BaseError {
  return error instanceof Error && 'shortMessage' in error && 'walk' in error;
}
