import type { DiscoverResponse } from '@yield-vault/protocol';

const kept = new WeakMap<DiscoverResponse, Buffer>();

/** Discovery returns the same object for the same request until the ranking changes, so its JSON is made once. */
export function toJson(response: DiscoverResponse): Buffer {
  const known = kept.get(response);
  if (known !== undefined) return known;
  const json = Buffer.from(JSON.stringify(response));
  kept.set(response, json);
  return json;
}
