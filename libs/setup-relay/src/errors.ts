import { asReadFailure } from '@yield-vault/chains';
import {
  ForkNotRunningError,
  SetupTicketRejectedError,
  SetupTransactionRejectedError,
  type Json,
  type SetupCheck,
} from '@yield-vault/protocol';
import type { SetupChain } from './ports.js';

const correctField = 'Correct details.field to details.expected, and sign and send the transaction again.';

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
  return new SetupTransactionRejectedError({
    ...{ detail, details: { failedCheck, ...details } },
    ...(details && 'expected' in details && { nextAction: correctField }),
    ...rest,
  });
}

/**
 * Read from the chain's node. A refusal counts as an outage, because the node may lag behind; other errors stay.
 *
 * @throws {ForkNotRunningError} when a managed fork does not respond; it is recreated
 * @throws {UpstreamUnavailableError} when another node does not respond
 */
export async function fromNode<T>(
  chain: Pick<SetupChain, 'key' | 'relayMode'>,
  response: Promise<T>,
): Promise<T> {
  try {
    return await response;
  } catch (error) {
    const outage = asReadFailure(error, `rpc:${chain.key}`);
    if (!outage || chain.relayMode === 'chain') throw outage ?? error;
    throw new ForkNotRunningError({
      detail: `The fork of ${chain.key} does not respond.`,
      details: { chain: chain.key },
      retryAfterSeconds: outage.retryAfterSeconds,
      cause: error,
    });
  }
}
