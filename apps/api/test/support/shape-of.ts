import type { OpenAPIObject } from '@nestjs/swagger';

/** A schema boiled down to names and types: `field?` is optional, `[x]` a list, `'a | b'` a choice, `any` anything. */
export type Shape = string | readonly Shape[] | { readonly [field: string]: Shape };

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

/** Describe a schema of the document by its shape. Objects that take further properties have a `...` field. */
export function shapeOf(document: OpenAPIObject, schema: object): Shape {
  const walk = (given: Schema): Shape => {
    if (given.$ref !== undefined) {
      const found = document.components?.schemas?.[given.$ref.replace('#/components/schemas/', '')];
      if (found === undefined) throw new Error(`${given.$ref} is not in the document`);
      return walk(found as Schema);
    }
    if (given.allOf !== undefined) return walk(given.allOf[0] ?? {});
    if (given.oneOf !== undefined) return given.oneOf.map(walk);
    if (given.enum !== undefined) return given.enum.map((value) => JSON.stringify(value)).join(' | ');
    if (given.type === 'array') return [walk(given.items ?? {})];
    if (given.type === 'object') {
      const fields = Object.entries(given.properties ?? {}).map(([name, property]): [string, Shape] => [
        given.required?.includes(name) ? name : `${name}?`,
        walk(property),
      ]);
      const rest = given.additionalProperties;
      const open: [string, Shape][] =
        rest === false ? [] : [['...', typeof rest === 'object' ? walk(rest) : 'any']];
      return Object.fromEntries([...fields, ...open]);
    }
    return given.type ?? 'any';
  };
  return walk(schema as Schema);
}
