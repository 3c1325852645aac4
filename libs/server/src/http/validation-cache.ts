import type { Type } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const cachedInputs = 2_000;
const longestKey = 500;

/**
 * Keep the newest valid inputs: validation by metadata costs more than the rest of a response from memory.
 * Checks read only the input, so an equal input has the same result. Results are frozen.
 */
export class ValidationCache {
  readonly #byDto = new Map<Type<object>, LRUCache<string, object>>();

  /** Return the result of an equal input, or make it. */
  take<T extends object>(dto: Type<T>, input: object, make: () => T): T {
    const key = keyOf(input);
    if (key === undefined) return make();
    const known = this.#byDto.get(dto) ?? new LRUCache<string, object>({ max: cachedInputs });
    this.#byDto.set(dto, known);
    const before = known.get(key);
    if (before !== undefined) return before as T;
    const made = Object.freeze(make());
    known.set(key, made);
    return made;
  }
}

/** A text that only equal inputs share; `undefined` for nested inputs and for values that JSON does not keep. */
function keyOf(input: object): string | undefined {
  const isExact = (value: unknown) =>
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0));
  for (const name in input) if (!isExact((input as Record<string, unknown>)[name])) return undefined;
  const key = JSON.stringify(input);
  return key.length <= longestKey ? key : undefined;
}
