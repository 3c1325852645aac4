import type { Violation } from '@yield-vault/protocol';
import type { ValidationError } from 'class-validator';
import { ruleName } from './fields/field.js';

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
