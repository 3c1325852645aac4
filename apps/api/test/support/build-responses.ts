import type {
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletResponse,
  HistoryPoint,
  IntentStatus,
  Position,
  PositionUpdate,
  PrepareExecutionResponse,
  GaslessSetup,
  PrepareSetupResponse,
  PreparedIntentEnvelope,
  RebalanceSource,
  RebalanceTarget,
  VaultCandidate,
  VaultReport,
  VaultSummary,
} from '@yield-vault/protocol';
import { intentSigning } from '@yield-vault/protocol';
import { examples } from '../../src/openapi/examples.js';

const { agentAddress, vaultId, implementation, entryPoint, validator, usdc, testWallet } = examples;
const hash = examples.hash32 as `0x${string}`;

export const buildVaultCandidate = (overrides: Partial<VaultCandidate> = {}): VaultCandidate => ({
  vaultId,
  vaultAddress: examples.vaultAddress,
  name: 'Vault',
  protocol: 'Protocol',
  asset: 'USDC',
  assetAddress: usdc,
  assetDecimals: 6,
  chain: 'base',
  apy: { now: 4, week: 4, month: 4 },
  risk: { score: 10, level: 'low', rating: 'A+' },
  sharpe: { week: 1, month: 1 },
  tvlUsd: 1000,
  tier: 'prime',
  compositeScore: 80.12,
  ...overrides,
});

export const buildVaultSummary = (overrides: Partial<VaultSummary> = {}): VaultSummary => ({
  vaultId,
  vaultAddress: examples.vaultAddress,
  name: 'Vault',
  protocol: 'Protocol',
  asset: { symbol: 'USDC', address: usdc, decimals: 6 },
  chain: 'base',
  chainId: 8453,
  shareDecimals: 18,
  apy: { now: 4, week: 4, month: 4 },
  risk: { score: 10, level: 'low', rating: 'A+' },
  sharpe: { week: 1, month: 1 },
  tvlUsd: 1000,
  sharePrice: 1.04,
  tier: 'prime',
  compositeScores: { maximize_apy: 60.5, minimize_risk: 70, balanced: 80.12 },
  listed: false,
  exclusions: ['tvl-too-low'],
  flags: ['unreviewed'],
  ...overrides,
});

const sample = { timestamp: '2026-01-01T00:00:00.000Z', sharePrice: 1.04 };
const apy = { value: 4, quality: 'full', servedBy: 'now', from: sample, to: sample } as const;
const parts = { yield: 0.35, safety: 0.3, sharpe: 0.15, tvl: 0.1, stability: 0.1 };
const composite = { features: parts, weights: parts, quality: 0.9, score: 80.12 };

export const buildVaultReport = (overrides: Partial<VaultReport> = {}): VaultReport => ({
  ...buildVaultSummary(),
  sources: ['registry'],
  data: {
    firstSnapshotAt: '2025-12-01T00:00:00.000Z',
    latestSnapshotAt: '2026-01-01T00:00:00.000Z',
    ageSeconds: 12,
    blockNumber: 7,
    snapshots: 740,
    externalSnapshots: 3,
    gaps: [{ from: '2025-12-02T00:00:00.000Z', until: '2025-12-02T04:00:00.000Z' }],
    computedAt: '2026-01-01T00:00:01.000Z',
  },
  explanation: {
    apy: {
      now: apy,
      week: apy,
      month: { ...apy, value: null, quality: null, servedBy: 'week', from: null, to: null },
    },
    jumps: [{ timestamp: '2025-12-20T00:00:00.000Z', changePercent: 3 }],
    spikesRepaired: 0,
    sharpe: { riskFreeRate: 4, weekObservations: 7, monthObservations: 30 },
    maxDrawdown90d: 0,
    volatility: null,
    stability: 96.6,
    tvl: { totalAssets: '1000000000', priceUsd: 1, priceSource: 'feed', usd: 1000 },
    benchmarkApy: 4.3,
    risk: {
      base: 10,
      coverage: 92,
      factors: [
        { factor: 'audits', weight: 8, input: 6, value: 0, isKnown: true, contribution: 0 },
        { factor: 'admin', weight: 12, input: 'dao', value: 20, isKnown: true, contribution: 2.4 },
        { factor: 'oracle', weight: 4, input: null, value: 50, isKnown: false, contribution: 2 },
      ],
      floors: [{ reason: 'age', atLeast: 46 }],
    },
    composite: { maximize_apy: composite, minimize_risk: composite, balanced: composite },
  },
  capability: {
    verdict: 'reverts',
    checkedAt: '2026-01-01T00:00:00.000Z',
    blockNumber: 7,
    failedStep: 'deposit',
    reason: 'Paused()',
    assetsIn: '1000000',
    sharesOut: '0',
    assetsOut: '0',
  },
  ...overrides,
});

export const buildHistoryPoint = (): HistoryPoint => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  apy: 4,
  tvl: 1000,
});

export const buildPosition = (): Position => ({
  vaultId,
  vaultAddress: examples.vaultAddress,
  vaultName: 'Vault',
  protocol: 'Protocol',
  chain: 'base',
  asset: 'USDC',
  shares: '24500000',
  depositedAmount: '25',
  costBasis: 'exact',
  currentValue: '24.99',
  apy: 4,
  unrealizedYield: '-0.01',
  depositTimestamp: '2026-01-01T00:00:00.000Z',
});

export const buildGaslessSetup = (overrides: Partial<GaslessSetup> = {}): GaslessSetup => ({
  authorization: { contractAddress: implementation, chainId: 8453, nonce: 0 },
  permit: {
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc },
    types: { Permit: [{ name: 'owner', type: 'address' }] },
    primaryType: 'Permit',
    message: { owner: agentAddress, spender: implementation, value: '20000000', nonce: '0', deadline: '1' },
  },
  endpoint: '/v1/yield/gasless-setup',
  ...overrides,
});

export const buildSetupResponse = (overrides: Partial<PrepareSetupResponse> = {}): PrepareSetupResponse => ({
  operation: 'deposit',
  intentId: hash,
  needsSetup: true,
  setupType: 'full',
  strategy: { vaultName: 'Vault', expectedAPY: 4, riskScore: 'low' },
  setup: {
    setupType: 'full',
    description: 'Delegates the wallet.',
    authorization: { contractAddress: implementation, chainId: 8453 },
    initCalldata: '0x1234',
    to: agentAddress,
    gas: { gasLimit: '350000', maxFeePerGas: '1000000000', maxPriorityFeePerGas: '1000000' },
  },
  setupTicket: {
    version: 1,
    walletAddress: agentAddress,
    chainId: 8453,
    implementation,
    initCalldataHash: hash,
    setupType: 'full',
    expiresAt: '2026-01-01T00:15:00.000Z',
  },
  gaslessSetup: null,
  execution: null,
  intentEnvelope: null,
  ...overrides,
});

export const buildPreparedEnvelope = (): PreparedIntentEnvelope => ({
  version: '1',
  intentId: hash,
  chainId: 8453,
  entryPoint,
  sender: agentAddress,
  userOps: [
    {
      userOperation: {
        sender: agentAddress,
        nonce: '0',
        callData: '0x1234',
        signature: '0x',
        initCode: '0x',
        callGasLimit: '400000',
        verificationGasLimit: '150000',
        preVerificationGas: '60000',
        maxFeePerGas: '1000000000',
        maxPriorityFeePerGas: '1000000',
        paymasterAndData: '0x',
      },
    },
  ],
  destinationExecutions: [],
  expiry: 1_767_225_600,
  validAfter: 0,
  merkleRoot: hash,
  proofs: [[]],
  signing: intentSigning({
    merkleRoot: hash,
    chainId: 8453,
    expiry: 1_767_225_600,
    validAfter: 0,
    validator,
  }),
});

const buildExecution = (): PrepareExecutionResponse['execution'] => ({
  intentEnvelope: buildPreparedEnvelope(),
  to: entryPoint,
  calldata: '0x1234',
  estimatedGas: '610000',
  slippage: { maxSlippageBps: 50, minOut: '1', quotedOut: '2' },
  gasQuote: { token: usdc, maxAmount: '2', expectedAmount: '1' },
  costs: { gasUsd: 0.01, exitGasUsd: 0.01, breakEvenDays: 7.3 },
  summary: 'Deposit 25 USDC.',
});

const source: RebalanceSource = {
  vaultId,
  vaultName: 'Vault',
  apy: { now: 4, week: 4, month: 4 },
  risk: { score: 10, level: 'low', rating: 'A+' },
  tvlUsd: 1000,
};
const target: RebalanceTarget = { ...source, compositeScore: 80.12 };
const strategy = {
  vaultName: 'Vault',
  expectedAPY: 4,
  riskScore: 'low',
  protocol: 'Protocol',
  chain: 'base',
  tvl: 1000,
} as const;

export const buildDepositResponse = (): PrepareExecutionResponse => ({
  operation: 'deposit',
  intentId: hash,
  needsSetup: false,
  strategy,
  execution: buildExecution(),
});

export const buildRedeemResponse = (): PrepareExecutionResponse => ({
  operation: 'redeem',
  intentId: hash,
  needsSetup: false,
  execution: buildExecution(),
});

export const buildRebalanceResponse = (): PrepareExecutionResponse => ({
  operation: 'rebalance',
  intentId: hash,
  needsSetup: false,
  strategy,
  execution: buildExecution(),
  source,
  target,
});

export const buildRebalanceSetupResponse = (): PrepareSetupResponse =>
  buildSetupResponse({ operation: 'rebalance', source, target });

const buildPositionUpdate = (): PositionUpdate => ({
  vaultId,
  vaultName: 'Vault',
  chain: 'base',
  sharesDelta: '-24.5',
  assetsDelta: '-25',
  effectivePrice: '1.02',
  gasPaid: { token: usdc, amount: '0.01' },
});

export const buildExecuteResponse = (overrides: Partial<ExecuteResponse> = {}): ExecuteResponse => ({
  executionModel: 'erc4337-validator-intent-v1',
  result: 'executed',
  userOpHash: hash,
  txHash: hash,
  chainId: 8453,
  chain: 'base',
  receipt: { status: 'success', gasUsed: '231000', blockNumber: 7 },
  explorerUrl: 'https://basescan.org/tx/0x',
  positionUpdate: buildPositionUpdate(),
  ...overrides,
});

export const buildIntentStatus = (overrides: Partial<IntentStatus> = {}): IntentStatus => ({
  intentId: hash,
  state: 'confirmed',
  chain: 'base',
  chainId: 8453,
  wallet: testWallet,
  userOpHash: hash,
  txHash: hash,
  expiry: 1_767_225_600,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:02.000Z',
  result: buildExecuteResponse(),
  failure: null,
  ...overrides,
});

export const buildRebalanceExecuteResponse = (): ExecuteResponse =>
  buildExecuteResponse({ sourcePositionUpdate: buildPositionUpdate() });

const limits = { maxEthWeiPerCall: '20000000000000000', maxUsdcBaseUnitsPerCall: '50000000' };
const createdAt = '2026-01-01T00:00:00.000Z';

export const buildFundWalletResponse = (): FundWalletResponse => ({
  success: true,
  environment: 'local',
  chain: 'base',
  chainId: 8453,
  walletAddress: testWallet,
  forkId: 'fork-1',
  funded: {
    eth: { requestedAmountWei: '1', resultingBalanceWei: '3' },
    usdc: { tokenAddress: usdc, requestedAmountBaseUnits: '2', resultingBalanceBaseUnits: '4' },
  },
  limits,
  allowlistEnforced: false,
});

export const buildForkStatusResponse = (overrides: Partial<ForkStatusResponse> = {}): ForkStatusResponse => ({
  success: true,
  environment: 'local',
  preflightMode: 'enforce',
  limits,
  supportedTokens: [{ chain: 'base', chainId: 8453, tokens: { usdc } }],
  health: { status: 'healthy', activeForks: 2, maxForks: 32, version: 'fork-service/v0.1.0' },
  primaryForks: [
    {
      chain: 'base',
      chainId: 8453,
      id: 'fork-1',
      status: 'running',
      rpcUrl: 'http://127.0.0.1:3100/rpc/base',
      blockNumber: 7,
      createdAt,
    },
  ],
  activeForks: {
    base: {
      chainId: 8453,
      count: 2,
      forks: [
        { id: 'fork-1', status: 'running', kind: 'persistent', backend: 'anvil', createdAt },
        { id: 'fork-2', status: 'running', kind: 'ephemeral', backend: 'node', createdAt },
      ],
    },
  },
  ...overrides,
});
