/** What facilitators say of an authorization that was used before. */
export const alreadyUsed = 'invalid_exact_evm_nonce_already_used';

/** What facilitators say of an authorization that is not valid for long enough, or for too long. */
export const ranOut = 'invalid_exact_evm_payload_authorization_valid_before';

const code = /^[a-z0-9_]{1,80}$/;

// Not about the payment: our own terms or the facilitator are at fault, so that paying anew would cure nothing.
const faults = new Set([
  'asset_not_deployed_contract',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_network',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_payload_type',
  'unsupported_scheme',
]);

// Whatever a facilitator calls it: the transfer may be on its way, so that a new payment could be a second one.
const unknownOutcome =
  /pending|time_?out|timed_out|node_failure|unconfirmed|unavailable|internal|unexpected|unknown/;

/**
 * Let only stable codes out of what a facilitator says: its texts may hold addresses of nodes and their credentials.
 *
 * @returns `undefined` when the facilitator is at fault, not the payer, or does not know the outcome
 */
export function toReason(said: string | undefined): string | undefined {
  // The specification and the packages call the same thing by two names.
  const reason = said === 'nonce_already_used' ? alreadyUsed : said;
  if (reason === undefined || !code.test(reason)) return 'payment_refused';
  return faults.has(reason) || unknownOutcome.test(reason) ? undefined : reason;
}
