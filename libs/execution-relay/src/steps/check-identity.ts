import { intentSigning, type IntentSigning, sameHex } from '@yield-vault/protocol';
import { invalid } from '../errors.js';
import type { ExecutionChain } from '../ports.js';
import type { ReadEnvelope } from './read-request.js';

/**
 * Check everything that an envelope says twice: what is given must equal what follows from the rest.
 *
 * @param intentId - of the request body
 * @throws {TransactionValidationError} with reason INTENT_ID_MISMATCH, WRONG_ENTRY_POINT, SENDER_MISMATCH or
 *   SIGNING_MISMATCH
 */
export function checkIdentity(
  envelope: ReadEnvelope,
  intentId: string | undefined,
  chain: ExecutionChain,
): void {
  const { merkleRoot, entryPoint, sender, signing, expiry, validAfter } = envelope;
  for (const given of [intentId, envelope.intentId]) {
    if (given !== undefined && !sameHex(given, merkleRoot)) {
      throw invalid('INTENT_ID_MISMATCH', 'intentId is not the merkle root of the envelope.');
    }
  }
  if (entryPoint !== undefined && !sameHex(entryPoint, chain.entryPoint)) {
    throw invalid('WRONG_ENTRY_POINT', `The entry point on ${chain.key} is another.`, {
      expected: chain.entryPoint,
    });
  }
  if (sender !== undefined && !sameHex(sender, envelope.userOp.userOperation.sender)) {
    throw invalid('SENDER_MISMATCH', 'The sender of the envelope is not that of its operation.');
  }
  if (signing !== undefined) {
    const validator = chain.contracts.validator;
    const expected = intentSigning({ merkleRoot, chainId: chain.chainId, expiry, validAfter, validator });
    if (!sameSigning(signing, expected)) {
      throw invalid('SIGNING_MISMATCH', 'The signing block does not follow from the envelope.');
    }
  }
}

function sameSigning(a: IntentSigning, b: IntentSigning): boolean {
  return canonical(a) === canonical(b);
}

// Names and types are compared letter for letter, hex in any case, properties in any order.
function canonical({ domain, primaryType, types, message }: IntentSigning): string {
  return JSON.stringify([
    [domain.name, domain.version, domain.chainId, domain.verifyingContract.toLowerCase()],
    [primaryType, ...types.Intent.map(({ name, type }) => [name, type])],
    [message.merkleRoot.toLowerCase(), message.chainId, message.expiry, message.validAfter],
  ]);
}
