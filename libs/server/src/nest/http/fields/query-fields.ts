import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import { IntegerField, type IntegerOptions } from './number-fields.js';
import { presence } from './presence.js';
import type { FieldDocs } from './text-fields.js';

// A query has only text. What is not exactly a number or a flag stays text, and the rules of the field refuse it.
const wholeNumber = /^(0|[1-9]\d{0,15})$/;
const toNumber = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value;
const flags: Readonly<Record<string, boolean>> = { true: true, false: false };
const toFlag = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && Object.hasOwn(flags, value) ? flags[value] : value;

/** An integer of a query, without sign and leading zeros. */
export function QueryIntegerField(options: IntegerOptions): PropertyDecorator {
  return applyDecorators(IntegerField(options), Transform(toNumber));
}

/** `true` or `false` of a query. */
export function QueryFlagField(options: FieldDocs): PropertyDecorator {
  const { description, example, optional = false } = options;
  return applyDecorators(
    ApiProperty({
      type: 'boolean',
      description,
      required: !optional,
      ...(example === undefined ? {} : { example }),
    }),
    ...presence(options),
    IsBoolean({ message: 'must be true or false' }),
    Transform(toFlag),
  );
}
