import { ApiOkResponse, type ApiResponseOptions } from '@nestjs/swagger';
import type { WireTypes } from '../generated/wire-types.js';
import { wireSchema } from './wire-schema.js';

type Handler = (...args: never[]) => unknown;

/** Nothing, where the response of a handler and a documented type fit; a type that no method has, where they do not. */
type Documented<Response, Wire> = [Response] extends [Wire | Buffer]
  ? unknown
  : // The handler may declare a wider type than the variants of its response.
    [Wire] extends [Response]
    ? unknown
    : { readonly documentedAs: Wire };

/**
 * Document the response of a route with the schema of its type, or of its variants. A route that returns another type does
 * not compile. A buffer is JSON that the route wrote itself.
 */
export const OkResponse = <Name extends keyof WireTypes>(
  names: Name | readonly Name[],
  options: Pick<ApiResponseOptions, 'description' | 'headers'>,
) =>
  ApiOkResponse({
    ...options,
    schema: typeof names === 'string' ? wireSchema(names) : { oneOf: names.map((name) => wireSchema(name)) },
  }) as <Method extends Handler>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method> & Documented<Awaited<ReturnType<Method>>, WireTypes[Name]>,
  ) => void;
