/** `0x` plus 40 hex digits, whatever their case. */
export const addressPattern = /^0x[0-9a-fA-F]{40}$/;
/** `0x` plus 64 hex digits. */
export const hash32Pattern = /^0x[0-9a-fA-F]{64}$/;
/** `0x` plus hex digits, none at all included. */
export const hexPattern = /^0x[0-9a-fA-F]*$/;
/** A quantity of a user operation: decimal or 0x-hex, at most as wide as 256 bits. */
export const quantityPattern = /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/;
/** Decimal digits. */
export const digitsPattern = /^\d+$/;
/** A positive integer without leading zero. */
export const positiveIntegerPattern = /^[1-9]\d*$/;
/** ISO 8601 date-time in UTC ending in Z, fractional seconds allowed. */
export const utcDateTimePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
