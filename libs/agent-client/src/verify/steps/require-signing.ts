import type { IntentSigning } from '@yield-vault/protocol';
import { demand } from '../refused.js';

/** Check that a signing block is the one that was rebuilt: same names and types in the same order, hex in any case. */
export function requireSigning(given: IntentSigning, rebuilt: IntentSigning): void {
  for (const part of ['domain', 'primaryType', 'types', 'message'] as const) {
    const same = partOf(given, part) === partOf(rebuilt, part);
    demand(same, 'SIGNING_MISMATCH', `signing.${part}`, 'It does not follow from the rest of the envelope.');
  }
}

function partOf({ domain, primaryType, types, message }: IntentSigning, part: keyof IntentSigning): string {
  const values = {
    domain: [domain.name, domain.version, domain.chainId, domain.verifyingContract.toLowerCase()],
    primaryType,
    types: types.Intent.map(({ name, type }) => [name, type]),
    message: [message.merkleRoot.toLowerCase(), message.chainId, message.expiry, message.validAfter],
  };
  return JSON.stringify(values[part]);
}
