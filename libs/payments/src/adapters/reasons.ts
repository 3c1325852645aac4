/** Code of facilitators for a used authorization. */
export const alreadyUsed = 'invalid_exact_evm_nonce_already_used';

/** Code of facilitators for an authorization that expires too early or too late. */
export const ranOut = 'invalid_exact_evm_payload_authorization_valid_before';

/** Code of facilitators for a signature that is not the payer's. */
export const wrongSignature = 'invalid_exact_evm_signature';

const code = /^[a-z0-9_]{1,80}$/;

// Our terms or the facilitator are wrong, so another payment would not help.
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

// The transfer may be pending, so another payment could charge twice.
const unknownOutcome =
  /pending|time_?out|timed_out|node_failure|unconfirmed|unavailable|internal|unexpected|unknown/;

/**
 * Reduce the reason of a facilitator to a stable code: its texts may contain RPC URLs with credentials.
 *
 * @returns `undefined` when the payer is not at fault, or the outcome is unknown
 */
export function toReason(given: string | undefined): string | undefined {
  // The specification and the packages use different names for this code.
  const reason = given === 'nonce_already_used' ? alreadyUsed : given;
  if (reason === undefined || !code.test(reason)) return 'payment_refused';
  return faults.has(reason) || unknownOutcome.test(reason) ? undefined : reason;
}
