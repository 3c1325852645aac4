import type { Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { addressPattern, hash32Pattern, hexPattern } from '../http/fields/patterns.js';

const field = (schema: object, description: string, example?: unknown) =>
  ApiProperty({ ...schema, description, example });

const plain = (schema: object) => (description: string, example?: unknown) =>
  field(schema, description, example);

/** Fields of a response by JSON type. */
export const ApiText = plain({ type: 'string' });
export const ApiTexts = plain({ type: 'string', isArray: true });
export const ApiNumber = plain({ type: 'number' });
export const ApiInteger = plain({ type: 'integer' });
export const ApiBoolean = plain({ type: 'boolean' });
export const ApiNull = plain({ type: 'null' });

/** An EIP-55 address. */
export const ApiAddress = plain({ type: 'string', pattern: addressPattern.source });
/** 32 bytes in hex. */
export const ApiHash32 = plain({ type: 'string', pattern: hash32Pattern.source });
/** Bytes in hex. */
export const ApiHex = plain({ type: 'string', pattern: hexPattern.source });
/** An ISO 8601 time. */
export const ApiTimestamp = plain({ type: 'string', format: 'date-time' });
/** A decimal number as a string, in human units. */
export const ApiDecimal = plain({ type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' });
/** An integer as a string. */
export const ApiBaseUnits = plain({ type: 'string', pattern: '^\\d+$' });

/** A word of a list. */
export const ApiChoice = (values: readonly string[], description: string, example?: unknown) =>
  field({ type: 'string', enum: [...values] }, description, example);

/** A fixed value. */
export const ApiConstant = (value: string | boolean | number, description: string) =>
  field({ type: typeof value, enum: [value] }, description, value);

// NestJS takes a function for a lazy class only when its name is "type": hence the arrow functions below.

/** A nested object. */
export const ApiObject = (dto: () => Type<unknown>, description: string, options?: { required: boolean }) =>
  field({ type: () => dto(), ...options }, description);

/** A list of nested objects. */
export const ApiList = (dto: () => Type<unknown>, description: string) =>
  field({ type: () => dto(), isArray: true }, description);

interface PlainSchema {
  readonly type: 'string' | 'number' | 'integer';
  readonly format?: string;
  readonly enum?: string[];
}

/** A plain value or `null`. */
export const ApiOrNull = (
  schema: PlainSchema | PlainSchema['type'],
  description: string,
  example?: unknown,
) => {
  const value = typeof schema === 'string' ? { type: schema } : schema;
  return field({ oneOf: [value, { type: 'null' }] }, description, example);
};

/** A nested object or `null`. A controller must name the class as an extra model. */
export const ApiObjectOrNull = (dto: Type<unknown>, description: string) =>
  field({ oneOf: [{ $ref: getSchemaPath(dto) }, { type: 'null' }] }, description);
