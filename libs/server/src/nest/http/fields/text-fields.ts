import { applyDecorators } from '@nestjs/common';
import { IsIn, IsString, Matches, MinLength } from 'class-validator';
import { getAddress } from 'viem';
import { Field, Shape, type FieldDocs } from './field.js';
import { addressPattern, hash32Pattern, hexPattern, quantityPattern } from './patterns.js';

const isString = () => IsString({ message: 'must be a string' });

/** Any string. */
export function TextField(options: FieldDocs & { readonly minLength?: number }): PropertyDecorator {
  const { minLength } = options;
  const checks = minLength === undefined ? [] : [MinLength(minLength, { message: 'must not be empty' })];
  return Field(options, { type: 'string', minLength }, isString(), ...checks);
}

interface PatternOptions extends FieldDocs {
  readonly pattern: RegExp;
  /** Describes the pattern, after "must be". */
  readonly form: string;
  readonly format?: string;
}

/** A string that matches a pattern. */
export function PatternField({ pattern, form, format, ...docs }: PatternOptions): PropertyDecorator {
  const check = Matches(pattern, { message: `must be ${form}` });
  return Field(docs, { type: 'string', pattern: pattern.source, format }, isString(), check);
}

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
    PatternField({ ...docs, pattern: addressPattern, form: '0x followed by 40 hex digits' }),
    Shape({ convert: checksummed }),
  );

/** 32 bytes in hex. */
export const Hash32Field = (docs: FieldDocs): PropertyDecorator =>
  PatternField({ ...docs, pattern: hash32Pattern, form: '0x followed by 64 hex digits' });

/** Bytes in hex. */
export const HexField = (docs: FieldDocs): PropertyDecorator =>
  PatternField({ ...docs, pattern: hexPattern, form: '0x followed by hex digits' });

/** A number of a user operation, as a string. */
export const QuantityField = (docs: FieldDocs): PropertyDecorator =>
  PatternField({ ...docs, pattern: quantityPattern, form: 'a decimal or 0x-hex number as a string' });
