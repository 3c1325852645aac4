import { InvalidParametersError } from '@yield-vault/protocol';
import type { ValidationError } from 'class-validator';
import { ruleName } from './fields/field.js';

/** One broken rule: the path of the field and its message. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

// A response must not grow with a hostile body.
const maximumListed = 20;
const maximumFieldLength = 200;

/** Create the error that lists the broken rules of a request. */
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

function messageOf({ value, constraints = {} }: ValidationError): string {
  const rule = constraints[ruleName];
  if (rule !== undefined) return rule;
  if (value === undefined) return 'is required';
  return Object.values(constraints)[0] ?? 'is not valid';
}

/** Path of a property or an item, like `userOps[0].sender`. */
export const fieldPath = (parent: string, name: string): string =>
  /^\d+$/.test(name) ? `${parent}[${name}]` : parent === '' ? name : `${parent}.${name}`;

/** Flatten class-validator's tree into one violation for each field, with its path. */
export function listViolations(errors: readonly ValidationError[], parent = ''): Violation[] {
  return errors.flatMap((error) => {
    const { property, children = [] } = error;
    const field = fieldPath(parent, property);
    const own = error.constraints ? [{ field, message: messageOf(error) }] : [];
    return [...own, ...listViolations(children, field)];
  });
}
