import {
  execute,
  IntentFailedError,
  IntentPendingError,
  resolveIntent,
  type Agent,
  type ExecuteRequest,
  type OperationRequest,
} from '@yield-vault/agent-client';
import { executed } from './intent-tools.js';
import { ToolError, type Outcome } from './tool-result.js';

/** Runs an operation of the key. `signal` says whether the client still waits. */
export type KeyRunner = (agent: Agent, request: OperationRequest, signal: AbortSignal) => Promise<Outcome>;

interface Run {
  readonly call: string;
  readonly outcome: Promise<Outcome>;
  readonly waiting: AbortSignal[];
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
  let pending: { readonly call: string; readonly request: ExecuteRequest } | undefined;

  const start = async (agent: Agent, request: OperationRequest, call: string): Promise<Outcome> => {
    try {
      if (pending) {
        // Nothing new is signed while an earlier intent may still be included.
        const { call: earlier, request: signed } = pending;
        const outcome = flow.resolveIntent(agent, signed);
        await outcome.catch(ignoreFailed);
        pending = undefined;
        if (earlier === call) return executed(await outcome, { intentId: signed.intentEnvelope.merkleRoot });
      }
      const { execution, verified, setup } = await flow.execute(agent, request);
      const { merkleRoot: intentId, summary } = verified;
      const setupTxHash = setup.kind === 'transaction' ? setup.relayed.txHash : undefined;
      return executed(execution, { intentId, summary, setupTxHash });
    } catch (error) {
      if (error instanceof IntentPendingError) pending ??= { call, request: error.request };
      throw error;
    }
  };

  return async (agent, request, signal) => {
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
    const run: Run = { call, outcome: start(agent, request, call), waiting: [signal] };
    running = run;
    try {
      return await run.outcome;
    } finally {
      running = undefined;
      if (run.waiting.every(({ aborted }) => aborted)) undelivered = run;
    }
  };
}

/** Let a final failure pass: the intent has no effect. */
function ignoreFailed(error: unknown): void {
  if (!(error instanceof IntentFailedError)) throw error;
}
