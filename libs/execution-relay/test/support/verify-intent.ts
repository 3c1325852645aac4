import type { ExecuteRequest } from '@yield-vault/protocol';
import { checkEnvelope } from '../../src/envelope.js';
import { recomputeRoot, recoverSigner } from '../../src/intent.js';
import type { ExecutionChains } from '../../src/ports.js';

/** Check a request as the relay does before it reserves the intent. */
export const verifyIntent = async (request: ExecuteRequest, chains: ExecutionChains) =>
  recoverSigner(recomputeRoot(checkEnvelope(request, chains)));
