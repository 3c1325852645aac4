import { InvalidParametersError } from '@yield-vault/protocol';

/** One broken rule: the path of the field and what it must be. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

// An answer must not grow with a hostile body.
const maximumListed = 50;
const maximumFieldLength = 200;

/** Refuse a request with the list of rules that it breaks. */
export function invalidParameters(violations: readonly Violation[]): InvalidParametersError {
  const listed = violations.slice(0, maximumListed).map(({ field, message }) => ({
    field: field.length > maximumFieldLength ? `${field.slice(0, maximumFieldLength)}…` : field,
    message,
  }));
  const [first] = listed;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return new InvalidParametersError({
    detail: first ? `${first.field} ${first.message}${more}.` : 'The request breaks a rule of the interface.',
    details: { violations: listed },
  });
}
