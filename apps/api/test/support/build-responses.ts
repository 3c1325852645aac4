import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exampleOf } from '@yield-vault/server';
import type {
  AlternativesResponse,
  CallsResponse,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletResponse,
  GaslessSetup,
  HistoryPoint,
  IntentStatus,
  Position,
  PrepareExecutionResponse,
  PreparedIntentEnvelope,
  PrepareSetupResponse,
  RebalanceSource,
  RebalanceTarget,
  VaultCandidate,
  VaultQuote,
  VaultReport,
  VaultSummary,
} from '@yield-vault/protocol';

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const file = resolve(__dirname, '../../../../docs/openapi.json');
const { schemas } = (JSON.parse(readFileSync(file, 'utf8')) as Document).components;

/** Build a value of a schema from the examples of the document. */
const builder =
  <T extends object>(schema: string, usual: Partial<T> = {}) =>
  (overrides: Partial<T> = {}): T => ({
    ...(exampleOf(schemas, { $ref: schema }) as T),
    ...usual,
    ...overrides,
  });

export const buildVaultCandidate = builder<VaultCandidate>('VaultCandidate');
export const buildVaultSummary = builder<VaultSummary>('VaultSummary');
export const buildVaultReport = builder<VaultReport>('VaultReport');
export const buildVaultQuote = builder<VaultQuote>('VaultQuote');
export const buildAlternatives = builder<AlternativesResponse>('AlternativesResponse');
export const buildHistoryPoint = builder<HistoryPoint>('HistoryPoint');
export const buildPosition = builder<Position>('Position');
export const buildGaslessSetup = builder<GaslessSetup>('GaslessSetup');
export const buildSetupResponse = builder<PrepareSetupResponse>('PrepareSetupResponse', {
  gaslessSetup: null,
});
export const buildPreparedEnvelope = builder<PreparedIntentEnvelope>('PreparedIntentEnvelope');
export const buildDepositResponse = builder<PrepareExecutionResponse>('PrepareDepositResponse');
export const buildRedeemResponse = builder<PrepareExecutionResponse>('PrepareRedeemResponse');
export const buildRebalanceResponse = builder<PrepareExecutionResponse>('PrepareRebalanceResponse');
export const buildCallsResponse = builder<CallsResponse>('CallsResponse');
export const buildExecuteResponse = builder<ExecuteResponse>('ExecuteResponse');
export const buildFundWalletResponse = builder<FundWalletResponse>('FundWalletResponse');
export const buildForkStatusResponse = builder<ForkStatusResponse>('ForkStatusResponse');

const noDuplicate: object = { duplicateOf: undefined };
export const buildIntentStatus = builder<IntentStatus>('IntentStatus', { failure: null, ...noDuplicate });

const source = builder<RebalanceSource>('RebalanceSource');
const target = builder<RebalanceTarget>('RebalanceTarget');
export const buildRebalanceSetupResponse = () =>
  buildSetupResponse({ operation: 'rebalance', source: source(), target: target() });
