import { createActiveChains, type ActiveChain, type ActiveChains } from '@yield-vault/chains';
import { findChainFacts, usdcDomain } from '@yield-vault/contracts';
import { openDatabase, type DatabaseHandle } from '@yield-vault/database';
import type { Deployment } from '@yield-vault/deployment';
import type { PaymentChain } from '@yield-vault/payments';
import {
  createPositions,
  type CostsPort,
  type FollowerPort,
  type Positions,
  type VaultsPort,
} from '@yield-vault/positions';
import type { Logger } from 'pino';
import { isAddressEqual } from 'viem';

/**
 * Open the database of a deployment.
 *
 * @throws {DatabaseLockedError} when another process uses the database directory
 */
export function openDeploymentDatabase(
  { database }: Pick<Deployment, 'database'>,
  logger: Logger,
): Promise<DatabaseHandle> {
  const onMigrationWait = () => logger.warn('waiting for another process to migrate the database');
  return openDatabase({ ...database, onMigrationWait });
}

/**
 * Build the positions of a deployment. They have clients of their own: slow log queries must not open the circuit breakers
 * of prepare, execute or status.
 */
export function openPositions(
  chains: Deployment['chains'],
  parts: {
    readonly vaults: VaultsPort;
    readonly events: FollowerPort;
    readonly database: DatabaseHandle;
    readonly costs?: CostsPort;
    readonly logger: Logger;
  },
): Positions {
  const options = Object.entries(chains).map(
    ([key, { logsFromBlock = 0, logReads }]) =>
      [key, { ...logReads, logsFromBlock: BigInt(logsFromBlock) }] as const,
  );
  return createPositions({
    chains: createActiveChains({ chains }),
    logs: createActiveChains({ chains }, { retries: 0 }),
    vaults: parts.vaults,
    follower: parts.events,
    database: parts.database,
    costs: parts.costs,
    options: Object.fromEntries(options),
    logger: parts.logger,
  });
}

/** The chains on which a deployment takes payments: those of wallets. */
export function paymentChains(
  { chains }: Pick<Extract<Deployment['payments'], { mode: 'on' }>, 'chains'>,
  wallets: Pick<ActiveChains, 'all'>,
): readonly PaymentChain[] {
  return wallets.all.filter(({ key }) => chains.length === 0 || chains.includes(key)).map(toPaymentChain);
}

function toPaymentChain({ key, chainId, usdc, rpc }: ActiveChain): PaymentChain {
  const facts = findChainFacts(chainId);
  const isCanonical = facts !== undefined && isAddressEqual(facts.usdc.address, usdc);
  return {
    key,
    chainId,
    rpc,
    // Startup fails if the deployment's token has a different EIP-712 domain.
    asset: { address: usdc, decimals: 6, ...usdcDomain(chainId) },
    // x402 v1 clients refuse a list that contains an unknown network name.
    v1Network: isCanonical ? facts.x402Network : undefined,
  };
}
