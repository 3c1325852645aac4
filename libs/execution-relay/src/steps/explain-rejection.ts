import type { BundlerRejection } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import { aaCodes, operatorAction, TransactionSubmissionError } from '@yield-vault/protocol';

// ERC-7769 codes that no new signature cures: method missing, opcode rules, reputation, stake, aggregator, deposit.
const operatorCodes = new Set([-32601, -32502, -32504, -32505, -32506, -32508, -32603]);

/** Read a bundler's refusal: the EntryPoint code decides who can cure it, else the bundler's own code. */
export function explainRejection(rejection: BundlerRejection): TransactionSubmissionError {
  const { aaCode, bundlerCode, revertData, message } = rejection;
  const entry = aaCode && aaCodes[aaCode];
  const curable = entry ? entry.curable : !operatorCodes.has(bundlerCode);
  const nextAction = entry?.nextAction ?? (curable ? undefined : operatorAction);
  return new TransactionSubmissionError({
    detail: `The bundler refused the operation: ${entry ? `${aaCode} ${entry.meaning}` : message}.`,
    details: {
      bundlerCode,
      ...(aaCode && { aaCode }),
      ...(revertData !== undefined && { revertReason: decodeRevertReason(revertData) }),
    },
    ...(nextAction && { nextAction }),
    ...(!curable && { retryAfterSeconds: 10 }),
    retryable: !curable,
    cause: rejection,
  });
}
