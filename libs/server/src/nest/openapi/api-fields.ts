import type { Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { addressPattern, hash32Pattern, hexPattern } from '../http/fields/patterns.js';

interface Docs {
  readonly description: string;
  readonly example?: unknown;
  readonly required?: boolean;
}

/** A string of a response. */
export const ApiText = (docs: Docs) => ApiProperty({ type: 'string', ...docs });

/** A list of strings. */
export const ApiTexts = (docs: Docs) => ApiProperty({ type: 'string', isArray: true, ...docs });

/** A number of a response. */
export const ApiNumber = (docs: Docs) => ApiProperty({ type: 'number', ...docs });

/** An integer of a response. */
export const ApiInteger = (docs: Docs) => ApiProperty({ type: 'integer', ...docs });

/** A boolean of a response. */
export const ApiBoolean = (docs: Docs) => ApiProperty({ type: 'boolean', ...docs });

/** A word of a list. */
export const ApiChoice = (values: readonly string[], docs: Docs) =>
  ApiProperty({ type: 'string', enum: [...values], ...docs });

/** A fixed value. */
export const ApiConstant = (value: string | boolean | number, docs: Docs) =>
  ApiProperty({ type: typeof value as 'string', enum: [value], example: value, ...docs });

/** An EIP-55 address. */
export const ApiAddress = (docs: Docs) =>
  ApiProperty({ type: 'string', pattern: addressPattern.source, ...docs });

/** 32 bytes in hex. */
export const ApiHash32 = (docs: Docs) =>
  ApiProperty({ type: 'string', pattern: hash32Pattern.source, ...docs });

/** Bytes in hex. */
export const ApiHex = (docs: Docs) => ApiProperty({ type: 'string', pattern: hexPattern.source, ...docs });

/** An ISO 8601 time. */
export const ApiTimestamp = (docs: Docs) => ApiProperty({ type: 'string', format: 'date-time', ...docs });

/** A decimal number as a string, in human units. */
export const ApiDecimal = (docs: Docs) =>
  ApiProperty({ type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', ...docs });

/** An integer as a string. */
export const ApiBaseUnits = (docs: Docs) => ApiProperty({ type: 'string', pattern: '^\\d+$', ...docs });

// NestJS takes a function for a lazy class only when its name is "type": hence the arrow functions below.

/** A nested object. */
export const ApiObject = (dto: () => Type<unknown>, docs: Docs) =>
  ApiProperty({ type: () => dto(), ...docs });

/** A list of nested objects. */
export const ApiList = (dto: () => Type<unknown>, docs: Docs) =>
  ApiProperty({ type: () => dto(), isArray: true, ...docs });

/** A plain value, or `null` where there is none. */
export const ApiOrNull = (
  schema: {
    readonly type: 'string' | 'number' | 'integer';
    readonly format?: string;
    readonly enum?: string[];
  },
  docs: Docs,
) => ApiProperty({ oneOf: [schema, { type: 'null' }], ...docs });

/** Always `null`. */
export const ApiNull = (docs: Docs) => ApiProperty({ type: 'null', ...docs });

/** A nested object, or `null`; a controller must name the class as an extra model. */
export const ApiObjectOrNull = (dto: Type<unknown>, docs: Docs) =>
  ApiProperty({ oneOf: [{ $ref: getSchemaPath(dto) }, { type: 'null' }], ...docs });
