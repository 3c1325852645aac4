import { setTimeout as sleep } from 'node:timers/promises';
import { fromWireUserOperation, userOperationHash, type ExecuteRequest } from '@yield-vault/protocol';
import type { ApiClient, ErrorBody } from '../support/api-client.js';
import { signedDeposit, type FundedAgent } from '../support/funded-agent.js';
import type { Target } from './kill-points.js';

/** What a caller knows after a response: it is done, it must call again, or it must prepare again. */
export type Told = 'done' | 'call again' | 'prepare again';

/** One intent of a deposit, and what its caller was told. */
export interface Attempt extends Target {
  readonly request: ExecuteRequest;
  /** Unix seconds. */
  readonly expiry: number;
  told: Told;
  /** Codes of the errors. */
  readonly codes: Set<string>;
}

/** A deposit that its caller wants once. */
export interface Deposit {
  /** The point or the fault that it meets. */
  readonly name: string;
  readonly agent: FundedAgent;
  readonly vaultId: string;
  /** Whether the caller goes away after the first response, so that the service is on its own. */
  readonly isAbandoned: boolean;
  readonly attempts: Attempt[];
}

const pauseMs = 2_000;

/** Prepare the next intent of a deposit, at any server that responds. */
export async function prepareAttempt(deposit: Deposit, apis: () => readonly ApiClient[]): Promise<Attempt> {
  const { agent, vaultId } = deposit;
  for (let tries = 1; ; tries++) {
    try {
      const up = apis();
      // Another amount, so that it is another intent.
      const amount = String(deposit.attempts.length + 1);
      const api = up[tries % up.length]!;
      const request = (await signedDeposit(api, agent, vaultId, amount)) as ExecuteRequest;
      const { intentEnvelope } = request;
      const { chainId, entryPoint, merkleRoot, expiry } = intentEnvelope;
      const operation = fromWireUserOperation(intentEnvelope.userOps[0]!.userOperation);
      const attempt: Attempt = {
        request,
        expiry,
        intentId: merkleRoot.toLowerCase(),
        wallet: agent.address.toLowerCase(),
        userOpHash: userOperationHash(operation, entryPoint!, chainId),
        told: 'call again',
        codes: new Set(),
      };
      deposit.attempts.push(attempt);
      return attempt;
    } catch (error) {
      // A server was killed meanwhile, or its bundler looks down.
      if (tries > 60) throw error;
      await sleep(1_000);
    }
  }
}

/** Call execute once and note what the caller learns. */
export async function executeOnce(attempt: Attempt, api: ApiClient): Promise<Told> {
  try {
    const { status, body } = await api.call('POST', '/v1/yield/execute', attempt.request);
    const { code, retryable } = body as ErrorBody;
    if (status !== 200) attempt.codes.add(code);
    // What one call learned, another one cannot take back.
    if (attempt.told !== 'prepare again')
      attempt.told = status === 200 ? 'done' : retryable ? 'call again' : 'prepare again';
  } catch (error) {
    // fetch throws it when the server dies.
    if ((error as Error).name !== 'TypeError') throw error;
  }
  return attempt.told;
}

/** Act as a caller does until the deposit is done: call again, or prepare again, as the responses say. */
export async function pursue(deposit: Deposit, apis: () => readonly ApiClient[]): Promise<void> {
  for (let calls = 0; !deposit.isAbandoned; calls++) {
    const attempt = deposit.attempts.at(-1)!;
    if (attempt.told === 'done' || Date.now() / 1000 > attempt.expiry + 60) return;
    if (attempt.told === 'prepare again') {
      if (deposit.attempts.length > 1) return;
      await prepareAttempt(deposit, apis);
      continue;
    }
    const [api] = apis().slice(calls % apis().length);
    if (api) await executeOnce(attempt, api);
    if (attempt.told === 'call again') await sleep(pauseMs);
  }
}
