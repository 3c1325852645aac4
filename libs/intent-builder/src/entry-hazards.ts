/** Why no money is put into a vault, in the words of `details.hazard`. */
export const entryHazards = [
  'ASSET_MISMATCH',
  'DECIMALS_MISMATCH',
  'EMPTY_VAULT',
  'TINY_DEPOSIT',
  'NO_EXIT_QUOTE',
  'ROUND_TRIP_LOSS',
  'ROUND_TRIP_GAIN',
  'PRICE_JUMP',
] as const;
/** One of {@link entryHazards}. */
export type EntryHazard = (typeof entryHazards)[number];
