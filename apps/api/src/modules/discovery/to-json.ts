import type { DiscoverResponse } from '@yield-vault/protocol';

const kept = new WeakMap<DiscoverResponse, Buffer>();

/** Write a discover response as JSON, once for each object. */
export function toJson(response: DiscoverResponse): Buffer {
  const known = kept.get(response);
  if (known !== undefined) return known;
  const json = Buffer.from(JSON.stringify(response));
  kept.set(response, json);
  return json;
}
