import type { Type } from '@nestjs/common';
import { shapesOf, type FieldShape } from './fields/field.js';
import type { Violation } from '@yield-vault/protocol';
import { fieldPath } from './violations.js';

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Copy the declared properties of an input into an instance of its DTO. class-validator checks the values afterwards.
 *
 * @param violations - receives every unknown property and every array that is too long
 */
export function readDto<T extends object>(
  dto: Type<T>,
  input: Readonly<Record<string, unknown>>,
  violations: Violation[],
  { open = false, path = '' }: { readonly open?: boolean; readonly path?: string } = {},
): T {
  const instance = new dto();
  const shapes = shapesOf(dto);
  let unknown: string | undefined;
  for (const name of Object.keys(input)) {
    const shape = shapes.get(name);
    const field = fieldPath(path, name);
    if (shape) instance[name as keyof T] = readField(shape, input[name], violations, field) as T[keyof T];
    else if (!open)
      violations.push({ field, message: (unknown ??= `is not one of ${[...shapes.keys()].join(', ')}`) });
  }
  return instance;
}

function readField(shape: FieldShape, value: unknown, violations: Violation[], path: string): unknown {
  const { dto, open, maxItems, convert } = shape;
  if (convert) return convert(value);
  if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems) {
    violations.push({ field: path, message: `must have at most ${maxItems} items` });
    return value;
  }
  const read = (item: unknown, itemPath: string): unknown =>
    dto && isObject(item) ? readDto(dto(), item, violations, { open, path: itemPath }) : item;
  return maxItems !== undefined && Array.isArray(value)
    ? value.map((item, index) => read(item, fieldPath(path, String(index))))
    : read(value, path);
}
