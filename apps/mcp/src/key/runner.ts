import {
  execute,
  IntentFailedError,
  IntentPendingError,
  resolveIntent,
  type Agent,
  type ExecuteRequest,
  type Execution,
  type FlowEvent,
  type OperationRequest,
} from '@yield-vault/agent-client';
import { executed } from '../intent-tools.js';
import { ToolError, type Outcome } from '../tool-result.js';

/** How an operation is run. */
export interface RunOptions {
  /** `intentId` of the last outcome of the same call, to do it once more. */
  readonly after?: string | undefined;
  /** Adds a deposit to the daily total before it begins, and returns how to take it out again. */
  readonly reserve?: (() => () => void) | undefined;
}

/**
 * Runs an operation with the key of the user. The same call within 10 minutes returns the first outcome, because clients repeat
 * calls whose response they did not wait for.
 *
 * @throws {ToolError} `BUSY` while another operation runs; and what `execute` of agent-client throws
 */
export type KeyRunner = (agent: Agent, request: OperationRequest, options?: RunOptions) => Promise<Outcome>;

/** A signed intent that may be executed. */
interface Sent {
  readonly call: string;
  readonly request: ExecuteRequest;
  readonly nonce: bigint | undefined;
  /** The service refused it, and can still send it. */
  readonly isRefused: boolean;
  release: (() => void) | undefined;
}

/** The flow of agent-client. */
export interface Flow {
  readonly execute: typeof execute;
  readonly resolveIntent: typeof resolveIntent;
}

const rememberedMs = 600_000;

/** The nonce of a refused intent is used. */
class NonceUsedError extends Error {}

/** Create the runner of a key. It runs one operation at a time, and never signs two nonces for one call. */
export function createKeyRunner(flow: Flow = { execute, resolveIntent }): KeyRunner {
  let running: { readonly call: string; readonly outcome: Promise<Outcome> } | undefined;
  const done = new Map<
    string,
    { readonly outcome: Outcome; readonly intentId: string; readonly at: number }
  >();
  let sent: Sent[] = [];

  const finish = (
    call: string,
    execution: Execution,
    more: { readonly intentId: string; readonly [name: string]: unknown },
  ) => {
    const { text, data } = executed(execution, more);
    const again = `To do it once more, give ${more.intentId} as after.`;
    const outcome = { text: `${text} ${again}`, data };
    done.set(call, { outcome, intentId: more.intentId, at: Date.now() });
    return outcome;
  };

  /** Find what became of the intents that were sent. @throws {IntentPendingError} while that is unknown */
  const settle = async (agent: Agent) => {
    // Of intents with one nonce, the last is pending or all are refused, and the nonce is used.
    for (const one of sent.toReversed()) {
      try {
        const execution = await flow.resolveIntent(agent, one.request);
        finish(one.call, execution, { intentId: one.request.intentEnvelope.merkleRoot });
        for (const other of sent) if (other.release === one.release) other.release = undefined;
      } catch (error) {
        if (!(error instanceof IntentFailedError)) throw error;
        if (!sent.some((other) => other !== one && other.release === one.release)) one.release?.();
      }
      sent = sent.filter((each) => each !== one);
    }
  };

  const start = async (
    agent: Agent,
    request: OperationRequest,
    call: string,
    options: RunOptions,
  ): Promise<Outcome> => {
    // Nothing is signed while an intent is pending.
    if (sent.some(({ isRefused }) => !isRefused)) await settle(agent);
    const last = done.get(call);
    if (last && last.intentId !== options.after && Date.now() - last.at < rememberedMs) return last.outcome;
    let nonce: bigint | undefined;
    let signed: ExecuteRequest | undefined;
    // It counts once, however often it is refused.
    const earlier = sent.find((one) => one.call === call);
    const release = earlier ? earlier.release : options.reserve?.();
    const { client } = agent;
    const send: typeof client.execute = (given) => client.execute((signed = given));
    const onProgress = (event: FlowEvent) => {
      if (event.type === 'intent-verified') {
        nonce = event.verified.nonceSequence;
        // The chain executes one intent of a nonce: with another, both could be executed.
        if (sent.some((one) => one.nonce !== nonce)) throw new NonceUsedError();
      }
      agent.onProgress?.(event);
    };
    try {
      const own = { ...agent, client: { ...client, execute: send }, onProgress };
      const { execution, verified, setup } = await flow.execute(own, request);
      const others = new Set(sent.map((one) => one.release));
      others.delete(release);
      for (const giveBack of others) giveBack?.();
      sent = [];
      const { merkleRoot: intentId, summary } = verified;
      const setupTxHash = setup.kind === 'transaction' ? setup.relayed.txHash : undefined;
      return finish(call, execution, { intentId, summary, setupTxHash });
    } catch (error) {
      const isPending = error instanceof IntentPendingError;
      if (isPending) signed = error.request;
      if (signed && !(error instanceof IntentFailedError))
        sent.push({ call, request: signed, nonce, isRefused: !isPending, release });
      else if (!earlier) release?.();
      const isUsed = error instanceof IntentFailedError && error.code === 'NONCE_USED' && sent.length > 0;
      if (!isUsed && !(error instanceof NonceUsedError)) throw error;
    }
    await settle(agent);
    return start(agent, request, call, options);
  };

  return async (agent, request, options = {}) => {
    const call = JSON.stringify([agent.chain, request]);
    if (running) {
      if (running.call !== call)
        throw new ToolError('BUSY', 'Another operation is running.', 'Call again later.');
      return running.outcome;
    }
    running = { call, outcome: start(agent, request, call, options) };
    try {
      return await running.outcome;
    } finally {
      running = undefined;
    }
  };
}
