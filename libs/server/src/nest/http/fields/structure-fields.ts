import type { Type as Class } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMinSize,
  Equals,
  getMetadataStorage,
  IsArray,
  IsObject,
  ValidateNested,
} from 'class-validator';
import { Field, Rule, type FieldDocs } from './field.js';

const isArray = () => IsArray({ message: 'must be an array' });

/** One fixed value. */
export function ConstantField({
  value,
  ...docs
}: FieldDocs & { readonly value: string | number }): PropertyDecorator {
  const schema = { type: typeof value === 'number' ? 'integer' : 'string', enum: [value] };
  const check = Equals(value, { message: `must be the ${typeof value} ${value}` });
  return Field({ ...docs, example: value }, schema, check);
}

/** Any JSON value, including `null`. NestJS derives the type "object"; `x-any` makes the document drop it. */
export const AnyField = (docs: FieldDocs): PropertyDecorator =>
  Field(docs, { type: Object, 'x-any': true }, Allow());

/** An array of any JSON values; empty by default. */
export const AnyArrayField = (docs: FieldDocs): PropertyDecorator =>
  Field({ ...docs, default: [] }, { type: 'array', items: {} }, isArray());

function keepDeclared(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const declared = new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(value.constructor, '', false, false)
      .map(({ propertyName }) => propertyName),
  );
  for (const name of Object.keys(value)) {
    if (!declared.has(name)) delete (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Remove additional properties of an open object: the whitelist of class-validator has no exceptions. */
const IgnoreAdditional = () =>
  Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) ? value.map(keepDeclared) : keepDeclared(value),
  );

interface StructureOptions extends FieldDocs {
  /** Additional properties are allowed, and ignored. */
  readonly open?: boolean;
}

/** An object with the fields of a class. */
export function ObjectField(
  dto: () => Class<object>,
  { open = false, ...docs }: StructureOptions,
): PropertyDecorator {
  const checks = [IsObject({ message: 'must be an object' }), ValidateNested(), Type(dto)];
  return Field(docs, { type: () => dto() }, ...checks, ...(open ? [IgnoreAdditional()] : []));
}

/** An array of objects with the fields of a class. */
export function ArrayField(
  dto: () => Class<object>,
  { open = false, minItems = 0, ...docs }: StructureOptions & { readonly minItems?: number },
): PropertyDecorator {
  return Field(
    docs,
    { type: () => dto(), isArray: true, minItems: minItems || undefined },
    isArray(),
    ArrayMinSize(minItems, { message: `must have at least ${minItems} item` }),
    IsObject({ each: true, message: 'must have only objects as items' }),
    ValidateNested({ each: true }),
    Type(dto),
    ...(open ? [IgnoreAdditional()] : []),
  );
}

/** An array of arrays of strings that match a pattern; empty by default. */
export function MatrixField({
  pattern,
  form,
  ...docs
}: FieldDocs & { readonly pattern: RegExp; readonly form: string }): PropertyDecorator {
  const check = (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return 'must be an array';
    for (const [row, items] of value.entries()) {
      if (!Array.isArray(items)) return `must be an array of arrays (item ${row} is none)`;
      const bad = items.findIndex((item) => typeof item !== 'string' || !pattern.test(item));
      if (bad >= 0) return `must have only ${form} in its inner arrays ([${row}][${bad}] is none)`;
    }
    return undefined;
  };
  const row = { type: 'array', items: { type: 'string', pattern: pattern.source } };
  return Field(
    { ...docs, default: [] },
    { type: 'array', items: row },
    Rule((_dto, value) => check(value)),
  );
}
