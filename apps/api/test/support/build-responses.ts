import type {
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletResponse,
  HistoryPoint,
  Position,
  PositionUpdate,
  PrepareExecutionResponse,
  PrepareSetupResponse,
  PreparedIntentEnvelope,
  RebalanceSource,
  RebalanceTarget,
  VaultCandidate,
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
  chain: 'base',
  apy: { now: 4, week: 4, month: 4 },
  risk: { score: 10, level: 'low', rating: 'A+' },
  sharpe: { week: 1, month: 1 },
  tvlUsd: 1000,
  tier: 'prime',
  compositeScore: 80.12,
  ...overrides,
});

export const buildHistoryPoint = (): HistoryPoint => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  apy: 4,
  tvl: 1000,
});

export const buildPosition = (): Position => ({
  vaultId,
  vaultName: 'Vault',
  protocol: 'Protocol',
  chain: 'base',
  depositedAmount: '25',
  currentValue: '24.99',
  apy: 4,
  unrealizedYield: '-0.01',
  depositTimestamp: '2026-01-01T00:00:00.000Z',
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
        { id: 'fork-1', status: 'running', kind: 'persistent', createdAt },
        { id: 'fork-2', status: 'running', kind: 'ephemeral', createdAt },
      ],
    },
  },
  ...overrides,
});
