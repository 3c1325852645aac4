import type { Violation } from './violations.js';

// class-transformer and class-validator take some prototype names for declared properties and drop others silently.
const prototypeNames = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

const maximumDepth = 64;

interface Visit {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** Find the first prototype name, or nesting that is deep enough to exhaust the stack of a recursive validator. */
export function findUnsafeJson(root: unknown): Violation | undefined {
  // A list instead of recursion, which deep nesting would exhaust.
  const pending: Visit[] = [{ value: root, path: '', depth: 0 }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const { value, path, depth } = visit;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > maximumDepth) return { field: 'body', message: `must nest at most ${maximumDepth} levels` };
    for (const key of Object.keys(value)) {
      const field = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (prototypeNames.has(key)) return { field, message: 'is not an allowed property' };
      pending.push({ value: (value as Record<string, unknown>)[key], path: field, depth: depth + 1 });
    }
  }
  return undefined;
}
