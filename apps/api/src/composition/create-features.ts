import { createActiveChains, probeChain, type ActiveChains, type Deployment } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import { createDatabaseIntentStore, createExecutionRelay } from '@yield-vault/execution-relay';
import { createIntentBuilder } from '@yield-vault/intent-builder';
import { createPositions } from '@yield-vault/positions';
import { createDatabaseSetupStore, createSetupRelay } from '@yield-vault/setup-relay';
import { createVaultDiscovery, type RegistryEntry, type VaultDiscovery } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import type { Features } from '../ports.js';
import { checkCallGas } from './check-call-gas.js';
import { openDeploymentDatabase } from './open-deployment-database.js';
import { openForks, type OpenForks } from './open-forks.js';
import { openPayments } from './open-payments.js';
import { requireForks } from './require-forks.js';
import { probeSuite, requireSuite } from './require-suite.js';
import { createSuiteFaults } from './suite-faults.js';
import { untilRanked } from './until-ranked.js';

/**
 * Build every feature of a deployment and plug them into each other. Opens the database; starts nothing.
 *
 * @throws {DatabaseLockedError} when another process uses the database directory
 */
export async function createFeatures(
  deployment: Deployment,
  registry: readonly RegistryEntry[],
  logger: Logger,
): Promise<Features> {
  const database = await openDeploymentDatabase(deployment, logger);
  const forks = await openForks(deployment, logger).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  // Vaults are watched on the real chains, whatever wallets act on.
  const chains = createActiveChains(deployment);
  const wallets = createActiveChains({ chains: forks.walletChains });
  const { discovery: options } = deployment;
  const payments = await openPayments(deployment, wallets, database, logger).catch(async (error: unknown) => {
    await forks.port.close();
    await database.close();
    throw error;
  });
  const discovery = untilRanked(createVaultDiscovery({ chains, database, registry, options, logger }));
  const ofWallets = createWalletFeatures(deployment, { database, forks, wallets, discovery });
  const suiteFaults = createSuiteFaults(wallets, logger);
  const intents = requireSuite(ofWallets.intents, suiteFaults);
  return {
    chains,
    database,
    discovery,
    payments: payments ?? null,
    ...requireForks({ ...ofWallets, intents }, deployment.chains, forks.areConfigured),
    forks: forks.port,
    probeChain: probeSuite(
      checkCallGas(
        (key) => probeChain(wallets.find(key) ?? { ...chains.require(key), bundler: undefined }),
        wallets,
        logger,
      ),
      suiteFaults,
    ),
  };
}

interface Parts {
  readonly database: DatabaseHandle;
  readonly forks: OpenForks;
  readonly wallets: ActiveChains;
  readonly discovery: VaultDiscovery;
}

/** Build what acts for wallets, on the chains as wallets see them. */
function createWalletFeatures(
  { intents, setup, relay }: Deployment,
  { database, forks, wallets: chains, discovery: vaults }: Parts,
) {
  const { simulator, confirm } = forks;
  return {
    intents: createIntentBuilder({ chains, vaults, options: { ...intents, ...setup } }),
    setupRelay: createSetupRelay({
      chains,
      store: createDatabaseSetupStore(database),
      forks: { confirm },
      options: { ...setup, waitSeconds: relay.setupWaitSeconds },
    }),
    executionRelay: createExecutionRelay({
      chains,
      store: createDatabaseIntentStore(database),
      vaults,
      ...(simulator && { simulate: simulator }),
      options: { waitSeconds: relay.executeWaitSeconds },
    }),
    positions: createPositions({
      chains,
      vaults,
      options: {
        logsFromBlock: Object.fromEntries(
          chains.all.map(({ key, logsFromBlock = 0 }) => [key, BigInt(logsFromBlock)]),
        ),
      },
    }),
  };
}
