/** A type whose every property is read-only. */
export type Immutable<T> = { readonly [K in keyof T]: Immutable<T[K]> };
