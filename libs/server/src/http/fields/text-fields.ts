import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsIn, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { addressPattern, digitsPattern, hash32Pattern, hexPattern } from '@yield-vault/protocol';
import { getAddress } from 'viem';
import { Field, Shape, type FieldDocs } from './field.js';

// Longer texts are hostile: a number of 256 KiB alone takes 20 ms to read.
const defaultMaxLength = 256;
const defaultMaxBytes = 8_192;

// A quantity of a user operation: decimal or 0x-hex, at most as wide as 256 bits.
const quantityPattern = /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/;

// Above 2^53 JSON has read another number than the caller wrote.
const isString = (pattern?: RegExp) =>
  IsString({
    message: ({ value }) =>
      typeof value === 'number' && value <= Number.MAX_SAFE_INTEGER && pattern?.test(String(value))
        ? `must be a string, as "${value}"`
        : 'must be a string',
  });
const isAtMost = (maxLength: number) =>
  MaxLength(maxLength, { message: `must have at most ${maxLength} characters` });

/** Any string of at most 256 characters. */
export function TextField(options: FieldDocs & { readonly minLength?: number }): PropertyDecorator {
  const { minLength } = options;
  const maxLength = defaultMaxLength;
  const checks = minLength === undefined ? [] : [MinLength(minLength, { message: 'must not be empty' })];
  return Field(options, { type: 'string', minLength, maxLength }, isString(), isAtMost(maxLength), ...checks);
}

interface PatternOptions extends FieldDocs {
  readonly pattern: RegExp;
  /** Describes the pattern, after "must be". */
  readonly form: string;
  readonly format?: string;
  /** 256 when left out. */
  readonly maxLength?: number;
}

/** A string that matches a pattern. */
export function PatternField({
  pattern,
  form,
  format,
  maxLength = defaultMaxLength,
  ...docs
}: PatternOptions): PropertyDecorator {
  const schema = { type: 'string', pattern: pattern.source, format, maxLength };
  const matches = Matches(pattern, { message: `must be ${form}` });
  return Field(docs, schema, isString(pattern), isAtMost(maxLength), matches);
}

/** Decimal digits, such as the id of a vault. */
export const DigitsField = (docs: FieldDocs): PropertyDecorator =>
  PatternField({ ...docs, pattern: digitsPattern, form: 'decimal digits' });

/** One of a list of words. */
export function ChoiceField({
  values,
  ...docs
}: FieldDocs & { readonly values: readonly string[] }): PropertyDecorator {
  const check = IsIn(values, { message: `must be one of ${values.join(', ')}` });
  return Field(docs, { type: 'string', enum: [...values] }, check);
}

// Callers may write an address in any case. viem rejects a wrong checksum, hence the lower case.
const checksummed = (value: unknown): unknown =>
  typeof value === 'string' && addressPattern.test(value) ? getAddress(value.toLowerCase()) : value;

/** An address, converted to EIP-55 form. */
export const AddressField = (docs: FieldDocs): PropertyDecorator =>
  applyDecorators(
    PatternField({ ...docs, pattern: addressPattern, form: '0x followed by 40 hex digits', maxLength: 42 }),
    Shape({ convert: checksummed }),
  );

/** One to `maxItems` addresses, converted to EIP-55 form. */
export function AddressesField({
  maxItems,
  ...docs
}: FieldDocs & { readonly maxItems: number }): PropertyDecorator {
  const message = `must be an array of 1 to ${maxItems} addresses, each 0x followed by 40 hex digits`;
  const items = { type: 'string', pattern: addressPattern.source };
  return applyDecorators(
    Field(
      docs,
      { type: 'array', items, minItems: 1, maxItems },
      ArrayMinSize(1, { message }),
      ArrayMaxSize(maxItems, { message }),
      Matches(addressPattern, { each: true, message }),
    ),
    Shape({ convert: (value) => (Array.isArray(value) ? value.map(checksummed) : value) }),
  );
}

/** 32 bytes in hex. */
export const Hash32Field = (docs: FieldDocs): PropertyDecorator =>
  PatternField({ ...docs, pattern: hash32Pattern, form: '0x followed by 64 hex digits', maxLength: 66 });

/** Bytes in hex, at most 8 KiB unless another maximum is given. */
export const HexField = ({
  maxBytes = defaultMaxBytes,
  ...docs
}: FieldDocs & { readonly maxBytes?: number }): PropertyDecorator =>
  PatternField({
    ...docs,
    pattern: hexPattern,
    form: '0x followed by hex digits',
    maxLength: 2 + 2 * maxBytes,
  });

/** A number of a user operation, as a string. */
export const QuantityField = (docs: FieldDocs): PropertyDecorator =>
  PatternField({
    ...docs,
    pattern: quantityPattern,
    form: 'a decimal or 0x-hex number as a string',
    maxLength: 78,
  });
