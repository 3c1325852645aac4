import type { RelayMode } from '../types.js';

/**
 * Read from the environment what wallets act on: `RELAY_MODE`, `managed-fork` by default.
 *
 * @throws {RangeError} When it is neither `managed-fork` nor `chain`.
 */
export function readRelayMode(env: Readonly<Record<string, string | undefined>>): RelayMode {
  const mode = env['RELAY_MODE'] || 'managed-fork';
  if (mode !== 'managed-fork' && mode !== 'chain') {
    throw new RangeError(`RELAY_MODE is "${mode}"; managed-fork or chain is expected.`);
  }
  return mode;
}
