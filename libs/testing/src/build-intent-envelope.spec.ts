import {
  fromWireUserOperation,
  userOperationHash,
  verifyIntentProof,
  intentDigest,
} from '@yield-vault/protocol';
import { recoverAddress } from 'viem';
import { buildIntentEnvelope } from './build-intent-envelope.js';
import { signIntent } from './build-intent-envelope.js';
import { testAccount, testKey } from './test-accounts.js';

describe('buildIntentEnvelope', () => {
  it('behavior: hashes, proof and signature agree', async () => {
    const envelope = buildIntentEnvelope({ chainId: 1, operation: { callData: '0x1234' } });
    const operation = fromWireUserOperation(envelope.userOps[0]!.userOperation);
    const validator = envelope.signing.domain.verifyingContract;
    const { chainId, entryPoint, expiry, validAfter, merkleRoot } = envelope;
    const userOpHash = userOperationHash(operation, entryPoint, chainId);
    expect(
      verifyIntentProof(merkleRoot, { userOpHash, expiry, validAfter, validator }, envelope.proofs[0]!),
    ).toBe(true);
    const signature = await signIntent(envelope.signing, testKey('owner'));
    const hash = intentDigest({ merkleRoot, chainId, expiry, validAfter, validator });
    expect(await recoverAddress({ hash, signature })).toBe(testAccount('owner').address);
  });
});
