/** Write a value as JSON, amounts as decimal strings. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each), 2);
}
