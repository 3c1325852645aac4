import { readFromNode } from '@yield-vault/chains';
import {
  ForkNotRunningError,
  SetupTicketRejectedError,
  SetupTransactionRejectedError,
  UpstreamUnavailableError,
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
    detail,
    details: { failedCheck, ...details },
    ...(details && 'expected' in details && { nextAction: correctField }),
    ...rest,
  });
}

/**
 * Wait for a read of the node that wallets act on.
 *
 * @throws {ForkNotRunningError} when a managed fork does not respond; it is recreated
 * @throws {UpstreamUnavailableError} when another node does not respond
 */
export async function readFromWalletNode<T>(
  chain: Pick<SetupChain, 'key' | 'relayMode'>,
  response: Promise<T>,
): Promise<T> {
  try {
    return await readFromNode(chain, response);
  } catch (error) {
    if (!(error instanceof UpstreamUnavailableError) || chain.relayMode === 'chain') throw error;
    throw new ForkNotRunningError({
      detail: `The fork of ${chain.key} does not respond.`,
      details: { chain: chain.key },
      retryAfterSeconds: error.retryAfterSeconds,
      cause: error,
    });
  }
}
