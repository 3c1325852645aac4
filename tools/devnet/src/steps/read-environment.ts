import { devnetChainIds, type DevnetChainKey, type DevnetPorts, type RelayMode } from '../types.js';
import { variableOf } from './choose-ports.js';

/**
 * Read the ports of every chain from the environment, such as `DEVNET_BASE_RPC_PORT` and `DEVNET_BASE_BUNDLER_PORT`.
 *
 * @param defaults Ports where the environment names none; any free ones by default.
 * @throws {RangeError} When a variable is not a port.
 */
export function readPorts(
  env: Readonly<Record<string, string | undefined>>,
  defaults: Readonly<Record<DevnetChainKey, DevnetPorts>> = {},
): Readonly<Record<DevnetChainKey, DevnetPorts>> {
  const portsOf = (key: DevnetChainKey): DevnetPorts => ({
    rpc: readPort(env, `DEVNET_${variableOf(key)}_RPC_PORT`, defaults[key]?.rpc ?? 0),
    bundler: readPort(env, `DEVNET_${variableOf(key)}_BUNDLER_PORT`, defaults[key]?.bundler ?? 0),
  });
  return Object.fromEntries([...devnetChainIds.keys()].map((key) => [key, portsOf(key)]));
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
