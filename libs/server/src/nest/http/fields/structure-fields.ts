import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
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
import { presence } from './presence.js';
import { Rule } from './rule.js';
import type { FieldDocs } from './text-fields.js';

/** One fixed value. */
export function ConstantField(options: FieldDocs & { readonly value: string | number }): PropertyDecorator {
  const { value, description } = options;
  return applyDecorators(
    ApiProperty({
      type: typeof value === 'number' ? 'integer' : 'string',
      description,
      enum: [value],
      required: true,
      example: value,
    }),
    ...presence(options),
    Equals(value, { message: `must be the ${typeof value} ${value}` }),
  );
}

// NestJS derives "object" for a property of unknown type; the document drops the type of what is marked so.
const anyShape = { type: Object, 'x-any': true };

/** Any JSON value; `null` included. */
export function AnyField(options: FieldDocs): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ description: options.description, required: !options.optional, ...anyShape }),
    Allow(),
  );
}

/** An array of any JSON values. */
export function AnyArrayField(options: FieldDocs): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: 'array',
      items: {},
      default: [],
      description: options.description,
      required: false,
      example: options.example,
    }),
    IsArray({ message: 'must be an array' }),
  );
}

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

/** Drop what a caller may add to an open object: class-validator's whitelist knows no exception. */
const IgnoreAdditional = () =>
  Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) ? value.map(keepDeclared) : keepDeclared(value),
  );

interface StructureOptions extends FieldDocs {
  /** Additional properties are allowed, and ignored. */
  readonly open?: boolean;
}

/** An object with the fields of a class. */
export function ObjectField(dto: () => Class<object>, options: StructureOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: () => dto(), description: options.description, required: !options.optional }),
    ...presence(options),
    IsObject({ message: 'must be an object' }),
    ValidateNested(),
    Type(dto),
    ...(options.open ? [IgnoreAdditional()] : []),
  );
}

/** An array of objects with the fields of a class. */
export function ArrayField(
  dto: () => Class<object>,
  options: StructureOptions & { readonly minItems?: number },
): PropertyDecorator {
  const { minItems, description, example } = options;
  return applyDecorators(
    ApiProperty({
      type: () => dto(),
      isArray: true,
      description,
      required: !options.optional,
      ...(minItems === undefined ? {} : { minItems }),
      ...(example === undefined ? {} : { example }),
    }),
    ...presence(options),
    IsArray({ message: 'must be an array' }),
    ...(minItems === undefined
      ? []
      : [ArrayMinSize(minItems, { message: `must have at least ${minItems} item` })]),
    IsObject({ each: true, message: 'must have only objects as items' }),
    ValidateNested({ each: true }),
    Type(dto),
    ...(options.open ? [IgnoreAdditional()] : []),
  );
}

/** An array of arrays of strings of one form. */
export function MatrixField(
  options: FieldDocs & { readonly pattern: RegExp; readonly form: string },
): PropertyDecorator {
  const { pattern, form, description, example } = options;
  const check = (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return 'must be an array';
    for (const [row, items] of value.entries()) {
      if (!Array.isArray(items)) return `must be an array of arrays (item ${row} is none)`;
      const bad = items.findIndex((item) => typeof item !== 'string' || !pattern.test(item));
      if (bad >= 0) return `must have only ${form} in its inner arrays ([${row}][${bad}] is none)`;
    }
    return undefined;
  };
  return applyDecorators(
    ApiProperty({
      type: 'array',
      items: { type: 'array', items: { type: 'string', pattern: pattern.source } },
      default: [],
      description,
      required: false,
      ...(example === undefined ? {} : { example }),
    }),
    Rule((_dto, value) => check(value)),
  );
}
