import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsNumber, Max, Min } from 'class-validator';
import { presence } from './presence.js';
import { Rule } from './rule.js';
import type { FieldDocs } from './text-fields.js';

export interface IntegerOptions extends FieldDocs {
  readonly minimum: number;
  readonly maximum?: number;
  readonly default?: number;
}

/** An integer, at most 2^53 - 1 unless a smaller maximum is given. */
export function IntegerField(options: IntegerOptions): PropertyDecorator {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER, description, example } = options;
  return applyDecorators(
    ApiProperty({
      type: 'integer',
      description,
      minimum,
      maximum,
      required: !options.optional && options.default === undefined,
      ...(example === undefined ? {} : { example }),
      ...(options.default === undefined ? {} : { default: options.default }),
    }),
    ...presence(options),
    IsInt({ message: 'must be an integer' }),
    Min(minimum, { message: `must be at least ${minimum}` }),
    Max(maximum, { message: `must be at most ${maximum}` }),
  );
}

interface NumberOptions extends FieldDocs {
  readonly minimum?: number;
  readonly above?: number;
  readonly maximum?: number;
}

/** A finite number. */
export function NumberField(options: NumberOptions): PropertyDecorator {
  const { minimum, above, maximum, description, example, optional = false } = options;
  return applyDecorators(
    ApiProperty({
      type: 'number',
      description,
      required: !optional,
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
      // A number in OpenAPI 3.1, where the typings still know the boolean of 3.0.
      ...(above === undefined ? {} : { exclusiveMinimum: above as unknown as boolean }),
      ...(example === undefined ? {} : { example }),
    }),
    ...presence(options),
    IsNumber({ allowInfinity: false, allowNaN: false }, { message: 'must be a finite number' }),
    ...(minimum === undefined ? [] : [Min(minimum, { message: `must be at least ${minimum}` })]),
    ...(above === undefined
      ? []
      : [
          Rule((_dto, value) =>
            typeof value !== 'number' || value > above ? undefined : `must be above ${above}`,
          ),
        ]),
    ...(maximum === undefined ? [] : [Max(maximum, { message: `must be at most ${maximum}` })]),
  );
}
