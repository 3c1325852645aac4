import {
  SetupTicketRejectedError,
  SetupTransactionRejectedError,
  type Json,
  type SetupCheck,
} from '@yield-vault/protocol';

/** Make the error of a check that the ticket failed. */
export function ticketRejected(
  failedCheck: SetupCheck,
  detail: string,
  details: Readonly<Record<string, Json>> = {},
): SetupTicketRejectedError {
  return new SetupTicketRejectedError({ detail, details: { failedCheck, ...details } });
}

/** Make the error of a check that the signed transaction, or what it did on chain, failed. */
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
