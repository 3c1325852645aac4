import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const hex = ts.factory.createTypeReferenceNode('`0x${string}`');

/** The types of every request and answer, as TypeScript. */
export async function typesOf(source) {
  const nodes = await openapiTypescript(source, {
    alphabetize: true,
    immutable: true,
    // A default of a request may be left out.
    defaultNonNullable: false,
    transform: (schema) => {
      // What may be added is ignored; without an index signature any interface fits.
      if (schema.properties && schema.additionalProperties === true) delete schema.additionalProperties;
      return schema.type === 'string' && schema.pattern?.startsWith('^0x') ? hex : undefined;
    },
  });
  return astToString(nodes);
}
