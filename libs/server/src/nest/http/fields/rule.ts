import { ValidateBy, type ValidationArguments } from 'class-validator';

/** Constraint name under which class-validator reports a rule; its message is shown before any other. */
export const ruleName = 'rule';

/**
 * A rule that looks at more than the type of one field.
 *
 * @param check - returns what is wrong, or `undefined`
 */
export function Rule<T extends object>(
  check: (dto: T, value: unknown) => string | undefined,
): PropertyDecorator {
  const message = (args: ValidationArguments) => check(args.object as T, args.value) ?? '';
  return ValidateBy({
    name: ruleName,
    validator: {
      validate: (_value, args) => args === undefined || check(args.object as T, args.value) === undefined,
      defaultMessage: (args) => (args === undefined ? '' : message(args)),
    },
  });
}
