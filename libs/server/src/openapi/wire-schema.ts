import { wireSchemas } from '../generated/wire-schemas.js';

/** A schema that is generated from a type in `libs/protocol/src/wire`. */
export type WireSchema = keyof typeof wireSchemas;

/** Refer to a wire schema, in `@ApiOkResponse({ schema })`. */
export const wireSchema = (name: WireSchema) => ({ $ref: `#/components/schemas/${name}` });
