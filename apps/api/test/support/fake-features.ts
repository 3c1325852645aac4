import { once } from 'node:events';
import {
  type AlternativesRequest,
  ChainNotActiveError,
  setupChecks,
  type DiscoverRequest,
  type ExecuteRequest,
  type FundWalletRequest,
  type HistoryRequest,
  type CallsRequest,
  type IntentListRequest,
  type GaslessSetupRequest,
  type PrepareRequest,
  type PrepareResponse,
  type QuoteRequest,
  type RebalanceSteering,
  type SetupRelayRequest,
  type VaultListRequest,
} from '@yield-vault/protocol';
import type { ActiveChain } from '@yield-vault/chains';
import { localContracts } from '@yield-vault/contracts';
import type { ExecutionRelay } from '@yield-vault/execution-relay';
import type { Forks } from '@yield-vault/forks/client';
import type { IntentBuilder } from '@yield-vault/intent-builder';
import type { Payments } from '@yield-vault/payments';
import type { Positions } from '@yield-vault/positions';
import type { DatabaseHandle } from '@yield-vault/database';
import type { SetupRelay } from '@yield-vault/setup-relay';
import type { Quotes, VaultDiscovery } from '@yield-vault/vault-discovery';
import { buildRankedVault } from '@yield-vault/testing';
import { examples } from '../../src/openapi/examples.js';
import type { ProbeChain } from '../../src/modules/health/create-health-monitor.js';
import {
  buildAlternatives,
  buildExecuteResponse,
  buildForkStatusResponse,
  buildCallsResponse,
  buildFundWalletResponse,
  buildHistoryPoint,
  buildIntentStatus,
  buildPosition,
  buildDepositResponse,
  buildSetupResponse,
  buildVaultCandidate,
  buildVaultQuote,
  buildVaultReport,
  buildVaultSummary,
} from './build-responses.js';

/** Everything that the routes delegate to, as far as they use it. */
export interface Features {
  readonly chains: {
    readonly keys: readonly string[];
    readonly all: readonly Pick<
      ActiveChain,
      'key' | 'chainId' | 'name' | 'relayMode' | 'entryPoint' | 'usdc' | 'contracts' | 'confirmations'
    >[];
    require(key: string): Pick<ActiveChain, 'key' | 'chainId'>;
  };
  readonly discovery: Omit<VaultDiscovery, 'find' | 'byAddress' | 'best' | 'isStale' | 'rejected'>;
  readonly quotes: Quotes;
  readonly intents: IntentBuilder;
  readonly setupRelay: SetupRelay;
  readonly executionRelay: ExecutionRelay;
  readonly positions: Pick<Positions, 'status' | 'statusBatch'>;
  readonly forks: Pick<Forks, 'fundWallet' | 'forkStatus' | 'close'>;
  readonly payments: Payments | null;
  readonly database: Pick<DatabaseHandle, 'ping' | 'close' | 'pool'>;
  readonly probeChain: ProbeChain;
}

/** Arguments that the routes passed to the features, newest last. */
export interface Calls {
  readonly discover: DiscoverRequest[];
  readonly history: HistoryRequest[];
  readonly explain: string[];
  readonly page: VaultListRequest[];
  readonly quote: QuoteRequest[];
  readonly alternatives: AlternativesRequest[];
  readonly prepare: (PrepareRequest & RebalanceSteering)[];
  readonly gaslessSetup: GaslessSetupRequest[];
  readonly calls: CallsRequest[];
  readonly execute: ExecuteRequest[];
  /** Clients of execute. */
  readonly clients: (string | undefined)[];
  readonly intent: string[];
  readonly intents: IntentListRequest[];
  readonly relay: SetupRelayRequest[];
  readonly fundWallet: FundWalletRequest[];
  readonly status: string[];
  readonly log: string[];
}

const chainIds: Readonly<Record<string, number>> = { base: 8453, ethereum: 1 };

const requireChain = (key: string) => {
  const chainId = Object.hasOwn(chainIds, key) ? chainIds[key] : undefined;
  if (chainId === undefined) {
    throw new ChainNotActiveError({
      detail: `${key} is not active.`,
      details: { supportedChains: Object.keys(chainIds) },
    });
  }
  return { key, chainId };
};

const unlisted = { symbol: 'WETH', address: examples.payTo, decimals: 18 };

/** A database that is up. */
export const fakeDatabase: Features['database'] = {
  ping: () => Promise.resolve(),
  close: () => Promise.resolve(),
  pool: () => ({ open: 1, idle: 1, waiting: 0 }),
};

/** Parts to replace. */
export type FeatureOverrides = Partial<Omit<Features, 'intents'>> & {
  readonly intents?: Partial<Features['intents']>;
};

/** Features that respond at once and record their calls; any part can be replaced. */
export function fakeFeatures(overrides: FeatureOverrides = {}): { features: Features; calls: Calls } {
  const { intents: _, ...rest } = overrides;
  const calls: Calls = {
    discover: [],
    history: [],
    explain: [],
    page: [],
    quote: [],
    alternatives: [],
    prepare: [],
    gaslessSetup: [],
    calls: [],
    execute: [],
    clients: [],
    intent: [],
    intents: [],
    relay: [],
    fundWallet: [],
    status: [],
    log: [],
  };
  const remember = (line: string) => {
    calls.log.push(line);
    return Promise.resolve();
  };
  const features: Features = {
    chains: {
      keys: Object.keys(chainIds),
      require: requireChain,
      all: [
        {
          key: 'base',
          chainId: 8453,
          name: 'Base',
          relayMode: 'chain',
          confirmations: 1,
          entryPoint: examples.entryPoint,
          usdc: examples.usdc,
          contracts: localContracts(8453),
        },
      ],
    },
    discovery: {
      job: {
        name: 'ranking',
        intervalMs: 5_000,
        run: async (signal) => {
          await remember('discovery.start');
          await once(signal, 'abort');
          await remember('discovery.stop');
          return 'done';
        },
      },
      isRanked: () => true,
      freshness: () => ({ snapshotFreshnessStatus: 'healthy', latestSnapshotAt: '2026-01-01T00:00:00.000Z' }),
      discover: (query) => {
        calls.discover.push(query);
        const { chain, strategy } = query;
        return {
          chain,
          chainId: requireChain(chain).chainId,
          strategy,
          count: 1,
          vaults: [buildVaultCandidate()],
        };
      },
      history: (query) => {
        calls.history.push(query);
        return Promise.resolve({
          vaultId: query.vaultId,
          period: query.period,
          resolution: query.resolution ?? 'hourly',
          data: [buildHistoryPoint()],
          summary: { avgApy: 4, maxApy: 4, minApy: 4, avgTvl: 1000, dataPoints: 1 },
        });
      },
      explain: (vaultId) => {
        calls.explain.push(vaultId);
        return Promise.resolve(buildVaultReport({ vaultId }));
      },
      list: () => [
        buildRankedVault(),
        buildRankedVault({ vaultAddress: examples.vaultAddress }),
        buildRankedVault({ vaultAddress: examples.testWallet, listed: false, asset: unlisted }),
      ],
      page: (query) => {
        calls.page.push(query);
        return { count: 1, total: 3, nextCursor: 'MQ', vaults: [buildVaultSummary()] };
      },
      chainStates: () => [
        {
          chain: 'base',
          vaults: 20,
          listed: 14,
          rejected: 1,
          newestSnapshot: Date.now() / 1_000 - 30,
        },
        {
          chain: 'ethereum',
          vaults: 9,
          listed: 7,
          rejected: 0,
          newestSnapshot: undefined,
        },
      ],
    },
    quotes: {
      quote: (request) => {
        calls.quote.push(request);
        return Promise.resolve(buildVaultQuote({ vaultId: request.vaultId }));
      },
      alternatives: (request) => {
        calls.alternatives.push(request);
        return Promise.resolve(buildAlternatives());
      },
    },
    intents: {
      prepare: (request, steering): Promise<PrepareResponse> => {
        calls.prepare.push({ ...request, ...steering });
        return Promise.resolve(buildSetupResponse({ operation: request.operation }));
      },
      gaslessSetup: (request) => {
        calls.gaslessSetup.push(request);
        return Promise.resolve(buildDepositResponse());
      },
      calls: (request) => {
        calls.calls.push(request);
        return Promise.resolve(buildCallsResponse());
      },
      estimateCosts: () =>
        Promise.resolve(() => ({ setupGasUsd: 0.13, depositGasUsd: 0.71, redeemGasUsd: 0.6 })),
      ...overrides.intents,
    },
    setupRelay: {
      relay: (request) => {
        calls.relay.push(request);
        return Promise.resolve({
          txHash: `0x${'11'.repeat(32)}`,
          receiptStatus: 'success',
          blockNumber: '7',
          relayMode: 'chain',
          setupType: request.setupTicket.setupType,
          delegationVerified: true,
          modulesVerified: true,
          verifiedImplementation: request.setupTicket.implementation,
          setupRequired: 'none',
          verificationChecks: setupChecks,
        });
      },
      drain: () => remember('setupRelay.drain'),
    },
    executionRelay: {
      execute: (request, client) => {
        calls.execute.push(request);
        calls.clients.push(client);
        return Promise.resolve(buildExecuteResponse());
      },
      intent: (intentId) => {
        calls.intent.push(intentId);
        return Promise.resolve(buildIntentStatus({ intentId }));
      },
      intents: (request) => {
        calls.intents.push(request);
        return Promise.resolve({
          wallet: request.wallet,
          count: 1,
          intents: [buildIntentStatus()],
          nextCursor: null,
        });
      },
      resume: () => remember('executionRelay.resume'),
      drain: () => remember('executionRelay.drain'),
    },
    positions: {
      status: (userAddress, { client } = {}) => {
        calls.status.push(userAddress);
        calls.clients.push(client);
        return Promise.resolve({
          positions: [buildPosition()],
          totalValueUsd: 25.01,
          totalDeposited: 25,
          totalYieldEarned: 0.01,
          totalGasPaidUsd: 0.04,
          positionCount: 1,
          wallets: { base: { setup: 'ready', idle: [{ asset: 'USDC', amount: '12.5' }], exitGasUsd: 0.01 } },
        });
      },
      statusBatch: (userAddresses, call) =>
        Promise.all(
          userAddresses.map(async (userAddress) => ({
            userAddress,
            ...(await features.positions.status(userAddress, call)),
          })),
        ),
    },
    forks: {
      fundWallet: (request) => {
        calls.fundWallet.push(request);
        return Promise.resolve(buildFundWalletResponse());
      },
      forkStatus: () => Promise.resolve(buildForkStatusResponse()),
      close: () => remember('forks.close'),
    },
    payments: null,
    database: { ...fakeDatabase, close: () => remember('database.close') },
    probeChain: (key) =>
      Promise.resolve({
        blockNumber: 7,
        rpc: 'ok',
        bundler: 'ok',
        bundlers: { [`bundler:${key}`]: 'ok', [`bundler:${key}:2`]: 'down' },
      }),
    ...rest,
  };
  return { features, calls };
}
