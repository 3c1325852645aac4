import { asReadFailure, asUpstreamError } from '@yield-vault/chains';
import {
  ForkNotRunningError,
  SetupTicketRejectedError,
  SetupTransactionRejectedError,
  type Json,
  type SetupCheck,
  type UpstreamUnavailableError,
} from '@yield-vault/protocol';
import type { SetupChain } from './ports.js';

/** Make the error for a ticket that fails a check. */
export function ticketRejected(
  failedCheck: SetupCheck,
  detail: string,
  details: Readonly<Record<string, Json>> = {},
): SetupTicketRejectedError {
  return new SetupTicketRejectedError({ detail, details: { failedCheck, ...details } });
}

/** Make the error for a signed transaction that fails a check, before or after its broadcast. */
export function transactionRejected(
  failedCheck: SetupCheck,
  detail: string,
  options: {
    readonly details?: Readonly<Record<string, Json>>;
    readonly nextAction?: string;
    readonly retryable?: boolean;
    readonly cause?: unknown;
  } = {},
): SetupTransactionRejectedError {
  const { details, ...rest } = options;
  return new SetupTransactionRejectedError({ detail, details: { failedCheck, ...details }, ...rest });
}

/**
 * Recognise that the node did not respond: ForkNotRunningError for a managed fork, which is recreated,
 * UpstreamUnavailableError otherwise.
 *
 * @param recognise - recognises an outage
 * @returns `undefined` for everything else
 */
export function asOutage(
  error: unknown,
  chain: Pick<SetupChain, 'key' | 'relayMode'>,
  recognise: (error: unknown, dependency: string) => UpstreamUnavailableError | undefined = asUpstreamError,
): UpstreamUnavailableError | ForkNotRunningError | undefined {
  const outage = recognise(error, `rpc:${chain.key}`);
  if (!outage || chain.relayMode === 'chain') return outage;
  return new ForkNotRunningError({
    detail: `The fork of ${chain.key} does not respond.`,
    details: { chain: chain.key },
    retryAfterSeconds: outage.retryAfterSeconds,
    cause: error,
  });
}

/** Read from the chain's node. A refusal counts as an outage, because the node may lag behind; other errors stay. */
export function fromNode<T>(chain: Pick<SetupChain, 'key' | 'relayMode'>, response: Promise<T>): Promise<T> {
  return response.catch((error: unknown) => {
    throw asOutage(error, chain, asReadFailure) ?? error;
  });
}
