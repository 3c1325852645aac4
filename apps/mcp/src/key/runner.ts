import {
  execute,
  IntentFailedError,
  IntentPendingError,
  resolveIntent,
  type Agent,
  type ExecuteRequest,
  type FlowEvent,
  type OperationRequest,
} from '@yield-vault/agent-client';
import { executed } from '../intent-tools.js';
import { ToolError, type Outcome } from '../tool-result.js';

/**
 * Runs an operation with the key of the user. `signal` says whether the client still waits. `reserve` adds a deposit to the daily
 * total before it begins, and returns how to take it out again.
 *
 * @throws {ToolError} `BUSY` while another operation runs; `REFUSED_INTENT_EXECUTED` once, after an intent that the service refused
 *   was executed; and what `execute` of agent-client throws
 */
export type KeyRunner = (
  agent: Agent,
  request: OperationRequest,
  signal: AbortSignal,
  reserve?: () => () => void,
) => Promise<Outcome>;

interface Run {
  readonly call: string;
  readonly outcome: Promise<Outcome>;
  readonly waiting: AbortSignal[];
}

interface Pending {
  readonly call: string;
  readonly request: ExecuteRequest;
  readonly release: (() => void) | undefined;
}

/** The flow of agent-client. */
export interface Flow {
  readonly execute: typeof execute;
  readonly resolveIntent: typeof resolveIntent;
}

/**
 * Create the runner of a key. It runs one operation at a time. A client that lost a response may repeat its call: it gets the
 * outcome of the first one, so nothing is done twice.
 */
export function createKeyRunner(flow: Flow = { execute, resolveIntent }): KeyRunner {
  let running: Run | undefined;
  // It ended after its client had stopped waiting.
  let undelivered: Run | undefined;
  let pending: Pending | undefined;
  // By chain: the nonce of an intent that the service refused, and can still send. The chain executes one intent of a nonce.
  const refused = new Map<string, bigint>();

  const start = async (
    agent: Agent,
    request: OperationRequest,
    call: string,
    reserve?: () => () => void,
  ): Promise<Outcome> => {
    let signed: bigint | undefined;
    let release: (() => void) | undefined;
    try {
      if (pending) {
        // Nothing new is signed while an earlier intent may still be included.
        const { call: earlier, request: sent, release: giveBack } = pending;
        const outcome = flow.resolveIntent(agent, sent);
        await outcome.catch((error: unknown) => {
          // A final failure passes: the intent has no effect.
          if (!(error instanceof IntentFailedError)) throw error;
          giveBack?.();
        });
        pending = undefined;
        if (earlier === call) return executed(await outcome, { intentId: sent.intentEnvelope.merkleRoot });
      }
      release = reserve?.();
      const onProgress = (event: FlowEvent) => {
        if (event.type === 'intent-verified') {
          const { nonceSequence } = event.verified;
          requireNonce(refused, agent.chain, nonceSequence);
          signed = nonceSequence;
        }
        agent.onProgress?.(event);
      };
      const { execution, verified, setup } = await flow.execute({ ...agent, onProgress }, request);
      const { merkleRoot: intentId, summary } = verified;
      const setupTxHash = setup.kind === 'transaction' ? setup.relayed.txHash : undefined;
      return executed(execution, { intentId, summary, setupTxHash });
    } catch (error) {
      if (error instanceof IntentPendingError) pending ??= { call, request: error.request, release };
      else if (signed === undefined || error instanceof IntentFailedError) release?.();
      // The service can still send it, so it stays in the daily total.
      else refused.set(agent.chain, signed);
      throw error;
    }
  };

  return async (agent, request, signal, reserve) => {
    const call = JSON.stringify([agent.chain, request]);
    if (running) {
      if (running.call !== call)
        throw new ToolError('BUSY', 'Another operation is running.', 'Call again later.');
      running.waiting.push(signal);
      return running.outcome;
    }
    if (undelivered?.call === call) {
      const { outcome } = undelivered;
      undelivered = undefined;
      return outcome;
    }
    const run: Run = { call, outcome: start(agent, request, call, reserve), waiting: [signal] };
    running = run;
    try {
      return await run.outcome;
    } finally {
      running = undefined;
      if (run.waiting.every(({ aborted }) => aborted)) undelivered = run;
    }
  };
}

/** Once a refused intent was executed, the wallet has another nonce: refuse one call, so that the user can look. */
function requireNonce(refused: Map<string, bigint>, chain: string, nonce: bigint): void {
  const earlier = refused.get(chain) ?? nonce;
  refused.delete(chain);
  if (earlier !== nonce)
    throw new ToolError(
      'REFUSED_INTENT_EXECUTED',
      'The wallet has used the nonce of an intent that the service had refused, so that intent was probably executed. Nothing was signed now.',
      'Call status to see what was done. Call again only for what is missing.',
    );
}
