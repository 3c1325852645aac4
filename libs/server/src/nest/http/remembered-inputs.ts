import type { Type } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const rememberedInputs = 2_000;
const longestKey = 500;

/**
 * Remembers which inputs were valid: validating by metadata costs more than everything else that answers from
 * memory. Rules look at nothing but the input, so the same input has the same outcome.
 */
export interface RememberedInputs {
  /** Take what was made of an equal input before, or make it; what is made is frozen. */
  take<T extends object>(dto: Type<T>, input: object, make: () => T): T;
}

/** Remember a limited number of inputs. */
export function createRememberedInputs(): RememberedInputs {
  const byDto = new Map<Type<object>, LRUCache<string, object>>();
  return {
    take: <T extends object>(dto: Type<T>, input: object, make: () => T): T => {
      const key = keyOf(input);
      if (key === undefined) return make();
      const known = byDto.get(dto) ?? new LRUCache<string, object>({ max: rememberedInputs });
      byDto.set(dto, known);
      const before = known.get(key);
      if (before !== undefined) return before as T;
      const made = Object.freeze(make());
      known.set(key, made);
      return made;
    },
  };
}

/** A text that only equal inputs share; undefined where there is none: for what is nested, or not exact in JSON. */
function keyOf(input: object): string | undefined {
  for (const name in input) {
    const value = (input as Record<string, unknown>)[name];
    const isExact =
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0));
    if (!isExact) return undefined;
  }
  const key = JSON.stringify(input);
  return key.length <= longestKey ? key : undefined;
}
