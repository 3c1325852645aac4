import { createHash } from 'node:crypto';

/** Turn a name into the 64-bit key of an advisory lock: the same in every process and version of the server. */
export function advisoryKey(name: string): string {
  return createHash('sha256').update(`yield-vault:${name}`).digest().readBigInt64BE().toString();
}
