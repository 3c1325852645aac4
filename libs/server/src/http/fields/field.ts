import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

/** Documentation of a field, and when it may be absent. `null` never counts as absent. */
export interface FieldDocs {
  readonly description: string;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly optional?: boolean;
  /** Tells when an optional field is required. */
  readonly requiredWhen?: (dto: never) => boolean;
}

/** How the value of a field becomes a part of its DTO. */
export interface FieldShape {
  /** Class of the value, or of its items. */
  readonly dto?: () => Type<object>;
  /** Additional properties are allowed, and ignored. */
  readonly open?: boolean;
  /** Longest array; only for arrays. */
  readonly maxItems?: number;
  readonly convert?: (value: unknown) => unknown;
}

// Of one class each; a request reads those of the classes above it, too.
const shapes = new WeakMap<object, Map<string, FieldShape>>();
const shapesByDto = new WeakMap<Type<object>, ReadonlyMap<string, FieldShape>>();

/** Declare the shape of a field. */
export const Shape =
  (shape: FieldShape): PropertyDecorator =>
  (target, name) => {
    const declared = shapes.get(target) ?? new Map<string, FieldShape>();
    shapes.set(target, declared.set(String(name), { ...declared.get(String(name)), ...shape }));
  };

/** The shapes of the declared fields by name, inherited ones included. */
export function shapesOf(dto: Type<object>): ReadonlyMap<string, FieldShape> {
  const known = shapesByDto.get(dto);
  if (known) return known;
  const all = new Map<string, FieldShape>();
  for (
    let owner = dto.prototype as object | null;
    owner;
    owner = Object.getPrototypeOf(owner) as object | null
  )
    for (const [name, shape] of shapes.get(owner) ?? []) if (!all.has(name)) all.set(name, shape);
  shapesByDto.set(dto, all);
  return all;
}

/** Document a field and check it. An optional field is checked when it is present; class-validator's IsOptional would skip `null` too. */
export function Field(docs: FieldDocs, schema: object, ...checks: PropertyDecorator[]): PropertyDecorator {
  const { description, example, default: fallback, optional = false, requiredWhen } = docs;
  const required = !optional && fallback === undefined;
  const isChecked = (dto: object, value: unknown) =>
    value !== undefined || (requiredWhen?.(dto as never) ?? false);
  return applyDecorators(
    ApiProperty({ description, ...schema, required, example, default: fallback }),
    Shape({}),
    ...(optional ? [ValidateIf(isChecked)] : []),
    ...checks,
  );
}

/** Constraint name of a rule. Its message is shown also where the value is missing. */
export const ruleName = 'rule';

/**
 * A rule that reads more than the type of one field.
 *
 * @param check - returns the message, or `undefined` when the rule holds
 */
export function Rule<T extends object>(
  check: (dto: T, value: unknown) => string | undefined,
): PropertyDecorator {
  const message = (args?: ValidationArguments) => (args ? check(args.object as T, args.value) : undefined);
  return ValidateBy({
    name: ruleName,
    validator: {
      validate: (_value, args) => message(args) === undefined,
      defaultMessage: (args) => message(args) ?? '',
    },
  });
}
