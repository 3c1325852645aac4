import { applyDecorators, type Type } from '@nestjs/common';
import { Allow, ArrayMinSize, Equals, IsArray, IsObject, ValidateNested } from 'class-validator';
import { Field, Rule, Shape, type FieldDocs, type FieldShape } from './field.js';

// No document of the interface has a longer array.
const maxItems = 32;

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
  applyDecorators(
    Field({ ...docs, default: [] }, { type: 'array', items: {}, maxItems }, isArray()),
    Shape({ maxItems }),
  );

interface StructureOptions extends FieldDocs {
  readonly open?: FieldShape['open'];
}

/** An object with the fields of a class. */
export function ObjectField(dto: () => Type<object>, { open, ...docs }: StructureOptions): PropertyDecorator {
  const checks = [IsObject({ message: 'must be an object' }), ValidateNested()];
  return applyDecorators(Field(docs, { type: () => dto() }, ...checks), Shape({ dto, open }));
}

/** An array of objects with the fields of a class. */
export function ArrayField(
  dto: () => Type<object>,
  { open, minItems = 0, ...docs }: StructureOptions & { readonly minItems?: number },
): PropertyDecorator {
  const checks = [
    isArray(),
    ArrayMinSize(minItems, { message: `must have at least ${minItems} item` }),
    IsObject({ each: true, message: 'must have only objects as items' }),
    ValidateNested({ each: true }),
  ];
  const schema = { type: () => dto(), isArray: true, minItems: minItems || undefined, maxItems };
  return applyDecorators(Field(docs, schema, ...checks), Shape({ dto, open, maxItems }));
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
      if (items.length > maxItems) return `must have at most ${maxItems} items in its inner arrays`;
      const bad = items.findIndex((item) => typeof item !== 'string' || !pattern.test(item));
      if (bad >= 0) return `must have only ${form} in its inner arrays ([${row}][${bad}] is none)`;
    }
    return undefined;
  };
  const row = { type: 'array', items: { type: 'string', pattern: pattern.source }, maxItems };
  return applyDecorators(
    Field(
      { ...docs, default: [] },
      { type: 'array', items: row, maxItems },
      Rule((_dto, value) => check(value)),
    ),
    Shape({ maxItems }),
  );
}
