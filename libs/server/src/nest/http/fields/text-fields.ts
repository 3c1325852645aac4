import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsString, Matches, MinLength } from 'class-validator';
import { getAddress } from 'viem';
import { addressPattern, hash32Pattern, hexPattern, quantityPattern } from './patterns.js';
import { presence, type Presence } from './presence.js';

export interface FieldDocs extends Presence {
  readonly description: string;
  readonly example?: unknown;
}

interface TextOptions extends FieldDocs {
  readonly minLength?: number;
  readonly default?: string;
}

const documented = ({ description, example, optional = false }: FieldDocs) => ({
  type: 'string' as const,
  description,
  required: !optional,
  ...(example === undefined ? {} : { example }),
});

/** Any string. */
export function TextField(options: TextOptions): PropertyDecorator {
  const { minLength } = options;
  return applyDecorators(
    ApiProperty({
      ...documented({ ...options, optional: options.optional ?? options.default !== undefined }),
      ...(minLength === undefined ? {} : { minLength }),
      ...(options.default === undefined ? {} : { default: options.default }),
    }),
    ...presence(options),
    IsString({ message: 'must be a string' }),
    ...(minLength === undefined ? [] : [MinLength(minLength, { message: 'must not be empty' })]),
  );
}

interface PatternOptions extends FieldDocs {
  readonly pattern: RegExp;
  /** What the pattern asks for, as in "must be …". */
  readonly form: string;
  readonly format?: string;
}

/** A string of one form. */
export function PatternField(options: PatternOptions): PropertyDecorator {
  const { pattern, form, format } = options;
  return applyDecorators(
    ApiProperty({ ...documented(options), pattern: pattern.source, ...(format ? { format } : {}) }),
    ...presence(options),
    IsString({ message: 'must be a string' }),
    Matches(pattern, { message: `must be ${form}` }),
  );
}

interface ChoiceOptions extends FieldDocs {
  readonly values: readonly string[];
  readonly default?: string;
}

/** One of a list of words. */
export function ChoiceField(options: ChoiceOptions): PropertyDecorator {
  const { values } = options;
  return applyDecorators(
    ApiProperty({
      ...documented({ ...options, optional: options.optional ?? options.default !== undefined }),
      enum: [...values],
      ...(options.default === undefined ? {} : { default: options.default }),
    }),
    ...presence(options),
    IsIn(values, { message: `must be one of ${values.join(', ')}` }),
  );
}

// The caller may write an address in any case; viem refuses a wrong checksum. The pattern makes the cast true.
const checksummed = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && addressPattern.test(value) ? getAddress(value.toLowerCase()) : value;

/** An address, passed on in EIP-55 form. */
export function AddressField(options: FieldDocs): PropertyDecorator {
  return applyDecorators(
    PatternField({ ...options, pattern: addressPattern, form: '0x followed by 40 hex digits' }),
    Transform(checksummed),
  );
}

/** 32 bytes in hex. */
export function Hash32Field(options: FieldDocs): PropertyDecorator {
  return PatternField({ ...options, pattern: hash32Pattern, form: '0x followed by 64 hex digits' });
}

/** Bytes in hex. */
export function HexField(options: FieldDocs): PropertyDecorator {
  return PatternField({ ...options, pattern: hexPattern, form: '0x followed by hex digits' });
}

/** A number of a user operation, as a string. */
export function QuantityField(options: FieldDocs): PropertyDecorator {
  return PatternField({
    ...options,
    pattern: quantityPattern,
    form: 'a decimal or 0x-hex number as a string',
  });
}
