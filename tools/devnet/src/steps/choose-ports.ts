import { freePort, isFree } from '@yield-vault/forks/anvil';
import type { DevnetChainKey, DevnetPorts } from '../types.js';

/** A requested port is in use. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';

  constructor(
    readonly port: number,
    /** Purpose of the port, in words. */
    readonly purpose: string,
    readonly variable: string,
  ) {
    super(
      `Port ${String(port)} (${purpose}) is in use. Set ${variable} to another port, or to 0 for any free one.`,
    );
  }
}

/**
 * Choose the ports of every chain.
 *
 * @param wanted Ports per chain; a missing one or 0 means any free port.
 * @throws {PortTakenError} When a wanted port is in use.
 */
export async function choosePorts(
  keys: readonly DevnetChainKey[],
  wanted: Readonly<Record<DevnetChainKey, DevnetPorts>> = {},
): Promise<Readonly<Record<DevnetChainKey, DevnetPorts>>> {
  const chosen: Record<DevnetChainKey, DevnetPorts> = {};
  for (const key of keys) {
    const variable = `DEVNET_${variableOf(key)}`;
    chosen[key] = {
      rpc: await choosePort(wanted[key]?.rpc ?? 0, `RPC of ${key}`, `${variable}_RPC_PORT`),
      bundler: await choosePort(wanted[key]?.bundler ?? 0, `bundler of ${key}`, `${variable}_BUNDLER_PORT`),
    };
  }
  return chosen;
}

/** Write the key of a chain as variables of the environment have it. */
export const variableOf = (key: DevnetChainKey): string => key.toUpperCase().replaceAll('-', '_');

/**
 * Choose one port.
 *
 * @param wanted A port, or 0 for any free one.
 * @param purpose Its purpose, in words.
 * @param variable The environment variable that changes it.
 * @throws {PortTakenError} When the wanted port is in use.
 */
export async function choosePort(wanted: number, purpose: string, variable: string): Promise<number> {
  if (wanted === 0) return freePort();
  if (!(await isFree(wanted))) throw new PortTakenError(wanted, purpose, variable);
  return wanted;
}
