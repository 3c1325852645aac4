import { keccak256 } from 'viem';
import type { AgentClient } from '../../src/index.js';
import { submitIntent } from '../../src/flow/submit-intent.js';
import type { Outcome } from '../../src/flow/wallet-node.js';
import { accepted } from '../../src/verify/result.js';
import { describeEnvelope } from '../../src/verify/verify-envelope.js';
import { addressBook } from './book.js';
import { buildExecution } from './build-execution.js';
import { buildPrepared } from './build-prepared.js';

/** A signed intent, its execution as the service reports it, and as the node shows it. */
export const sent = { intentEnvelope: buildPrepared(), intentSignature: '0x12' } as const;
export const verified = accepted(describeEnvelope(sent.intentEnvelope, { addressBook }));
export const executed = buildExecution(sent.intentEnvelope);
export const txHash = keccak256('0x01');
export const included = {
  kind: 'included',
  success: true,
  txHash,
  blockNumber: 9n,
  gasUsed: 250_000n,
} as const;

/**
 * Submit the intent under fake timers, with a node that sees one outcome after the other, the last for ever.
 *
 * @returns the execution or the error, and how often the node was polled
 */
export async function submit(
  client: Pick<AgentClient, 'execute' | 'intent'>,
  ...seen: readonly (Outcome | Error)[]
) {
  let polls = 0;
  const outcomeOf = () => {
    const outcome = seen[Math.min(polls, seen.length - 1)]!;
    polls += 1;
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  const submitted = submitIntent(client as AgentClient, { outcomeOf }, verified, sent).then(
    (execution) => ({ execution, error: undefined }),
    (error: unknown) => ({ execution: undefined, error }),
  );
  await jest.runAllTimersAsync();
  return { ...(await submitted), polls };
}
