/** Expectations that say nothing sure: a missing minimum, a negative amount, a field nobody reads. */
export class InvalidExpectationsError extends Error {
  override readonly name = 'InvalidExpectationsError';
  readonly code = 'INVALID_EXPECTATIONS';
}

/** An address book that cannot be trusted: a malformed entry, or a chain with two meanings. */
export class InvalidAddressBookError extends Error {
  override readonly name = 'InvalidAddressBookError';
  readonly code = 'INVALID_ADDRESS_BOOK';
}
