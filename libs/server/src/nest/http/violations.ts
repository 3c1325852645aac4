import { InvalidParametersError } from '@yield-vault/protocol';
import type { ValidationError } from 'class-validator';
import { ruleName } from './fields/field.js';

/** One broken rule: the path of the field and its message. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

// A response must not grow with a hostile body.
const maximumListed = 50;
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
  if (Object.hasOwn(constraints, 'whitelistValidation')) return 'is not an allowed property';
  const rule = constraints[ruleName];
  if (rule !== undefined) return rule;
  if (value === undefined) return 'is required';
  return Object.values(constraints)[0] ?? 'is not valid';
}

/** Flatten class-validator's tree into one violation for each field, with paths like `userOps[0].sender`. */
export function listViolations(errors: readonly ValidationError[], parent = ''): Violation[] {
  return errors.flatMap((error) => {
    const { property, children = [] } = error;
    const isIndex = /^\d+$/.test(property);
    const field = isIndex ? `${parent}[${property}]` : [parent, property].filter(Boolean).join('.');
    const own = error.constraints ? [{ field, message: messageOf(error) }] : [];
    return [...own, ...listViolations(children, field)];
  });
}
