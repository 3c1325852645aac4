import { InvalidParametersError } from './errors.js';

/** One broken rule: the path of a field, and what is wrong with it, e.g. `must be a string`. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

// A response must not grow with a hostile body.
const maximumListed = 20;
const maximumFieldLength = 200;

/**
 * Make the error that lists the broken rules of a request, the first 20 of them, in whole sentences.
 *
 * @param nextAction - in place of the catalogue's
 */
export function invalidParameters(
  violations: readonly Violation[],
  nextAction?: string,
): InvalidParametersError {
  const listed = violations.slice(0, maximumListed).map(({ field: path, message }) => {
    const field = path.length > maximumFieldLength ? `${path.slice(0, maximumFieldLength)}…` : path;
    return { field, message: `${field} ${message}.` };
  });
  const more = violations.length - 1;
  const first = listed[0]?.message ?? 'The request breaks a rule of the interface.';
  return new InvalidParametersError({
    detail: more > 0 ? `${first} ${more} more ${more === 1 ? 'rule is' : 'rules are'} broken.` : first,
    details: { violations: listed },
    nextAction,
  });
}
