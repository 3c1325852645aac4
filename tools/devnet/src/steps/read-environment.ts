import type { DevnetChainKey, DevnetPorts, RelayMode } from '../types.js';

/**
 * Read the ports of the devnet from the environment: `DEVNET_BASE_RPC_PORT`, `DEVNET_BASE_BUNDLER_PORT` and the
 * same for Ethereum.
 *
 * @param defaults Ports where the environment names none; any free ones by default.
 * @throws {RangeError} When a variable is not a port.
 */
export function readPorts(
  env: Readonly<Record<string, string | undefined>>,
  defaults: Readonly<Record<DevnetChainKey, DevnetPorts>> = {
    ethereum: { rpc: 0, bundler: 0 },
    base: { rpc: 0, bundler: 0 },
  },
): Record<DevnetChainKey, DevnetPorts> {
  const portsOf = (key: DevnetChainKey): DevnetPorts => ({
    rpc: readPort(env, `DEVNET_${key.toUpperCase()}_RPC_PORT`, defaults[key].rpc),
    bundler: readPort(env, `DEVNET_${key.toUpperCase()}_BUNDLER_PORT`, defaults[key].bundler),
  });
  return { ethereum: portsOf('ethereum'), base: portsOf('base') };
}

/**
 * Read a port from the environment.
 *
 * @throws {RangeError} When it is not a whole number from 0 to 65535.
 */
export function readPort(
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
  fallback: number,
): number {
  const text = env[variable];
  if (!text) return fallback;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new RangeError(`${variable} is "${text}"; a port from 0 (any free one) to 65535 is expected.`);
  }
  return Number(text);
}

/**
 * Read the relay mode from `RELAY_MODE`; `managed-fork` by default.
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
