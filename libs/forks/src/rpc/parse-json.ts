/** Parse JSON text; `undefined` when it is none. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString()) as unknown;
  } catch {
    return undefined;
  }
}
