import { createExecutionRelay, type ExecutionRelayOptions } from '../../src/execution-relay.js';
import type {
  ChainEventsPort,
  ExecutionChains,
  IntentStore,
  SimulatorPort,
  VaultsPort,
} from '../../src/ports.js';
import { otherVault, unlistedVault, vault } from './build-intent.js';

/** Every vault of `build-intent.ts`. */
export const catalogue = {
  byAddress: (_: number, address: string) =>
    [vault, otherVault, unlistedVault].find(
      (one) => one.vaultAddress.toLowerCase() === address.toLowerCase(),
    ),
} satisfies VaultsPort;

export function startRelay(
  store: IntentStore,
  chains: ExecutionChains,
  options: Partial<ExecutionRelayOptions> & {
    now?: () => number;
    simulate?: SimulatorPort;
    vaults?: VaultsPort;
    events?: ChainEventsPort;
  } = {},
) {
  const { now, simulate, vaults = catalogue, events, ...rest } = options;
  return createExecutionRelay({
    chains,
    store,
    vaults,
    options: { waitSeconds: 5, lifetimeSeconds: 600, pollMs: 5, ...rest },
    ...(simulate && { simulate }),
    ...(events && { events }),
    ...(now && { now }),
  });
}
