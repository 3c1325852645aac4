import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsInt, IsNumber, Max, Min } from 'class-validator';
import { Field, Rule, Shape, type FieldDocs } from './field.js';

const min = (minimum: number) => Min(minimum, { message: `must be at least ${minimum}` });
const max = (maximum: number) => Max(maximum, { message: `must be at most ${maximum}` });

interface IntegerOptions extends FieldDocs {
  readonly minimum: number;
  readonly maximum?: number;
}

/** An integer, at most 2^53 - 1 unless a smaller maximum is given. */
export function IntegerField({
  minimum,
  maximum = Number.MAX_SAFE_INTEGER,
  ...docs
}: IntegerOptions): PropertyDecorator {
  const isInteger = IsInt({ message: 'must be an integer' });
  return Field(docs, { type: 'integer', minimum, maximum }, isInteger, min(minimum), max(maximum));
}

interface NumberOptions extends FieldDocs {
  readonly minimum?: number;
  readonly above?: number;
  readonly maximum?: number;
}

/** A finite number. */
export function NumberField({ minimum, above, maximum, ...docs }: NumberOptions): PropertyDecorator {
  const isAbove = (above: number) =>
    Rule((_dto, value) =>
      typeof value !== 'number' || value > above ? undefined : `must be above ${above}`,
    );
  return Field(
    docs,
    { type: 'number', minimum, maximum, exclusiveMinimum: above },
    IsNumber({ allowInfinity: false, allowNaN: false }, { message: 'must be a finite number' }),
    ...(minimum === undefined ? [] : [min(minimum)]),
    ...(above === undefined ? [] : [isAbove(above)]),
    ...(maximum === undefined ? [] : [max(maximum)]),
  );
}

// A query holds only text. Text that is not exactly a number or a flag stays text, and the checks reject it.
const wholeNumber = /^(0|[1-9]\d{0,15})$/;
const toNumber = (value: unknown): unknown =>
  typeof value === 'string' && wholeNumber.test(value) ? Number(value) : value;
const toFlag = (value: unknown): unknown =>
  value === 'true' || value === 'false' ? value === 'true' : value;

/** An integer of a query, without sign and leading zeros. */
export const QueryIntegerField = (options: IntegerOptions): PropertyDecorator =>
  applyDecorators(IntegerField(options), Shape({ convert: toNumber }));

const decimal = /^(0|[1-9]\d{0,15})(\.\d{1,18})?$/;

/** Read a decimal of a query as a number; for a `NumberField`. */
export const QueryDecimal = (): PropertyDecorator =>
  Shape({
    convert: (value) => (typeof value === 'string' && decimal.test(value) ? Number(value) : value),
  });

/** `true` or `false` of a query. */
export const QueryFlagField = (docs: FieldDocs): PropertyDecorator =>
  applyDecorators(
    Field(docs, { type: 'boolean' }, IsBoolean({ message: 'must be true or false' })),
    Shape({ convert: toFlag }),
  );
