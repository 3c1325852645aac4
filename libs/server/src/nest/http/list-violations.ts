import type { ValidationError } from 'class-validator';
import { ruleName } from './fields/rule.js';
import type { Violation } from './violation.js';

const join = (parent: string, property: string): string => {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
};

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
    const field = join(parent, error.property);
    const own = error.constraints ? [{ field, message: messageOf(error) }] : [];
    return [...own, ...listViolations(error.children ?? [], field)];
  });
}
