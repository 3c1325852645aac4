/**
 * The responses of the interface, written by hand from its specification: field by field, no more and no less.
 * A key that ends in `?` may be absent. `[shape]` is an array of that shape, `oneOf` lists variants.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'null'
  | 'any'
  | readonly [Shape]
  | { readonly oneOf: readonly Shape[] }
  | { readonly mapOf: Shape }
  | { readonly [key: string]: Shape };

const apy = { now: 'number', week: 'number', month: 'number' } as const;
const risk = { score: 'number', level: 'string', rating: 'string' } as const;

const vaultCandidate = {
  vaultId: 'string',
  vaultAddress: 'string',
  name: 'string',
  protocol: 'string',
  asset: 'string',
  chain: 'string',
  apy,
  risk,
  sharpe: { week: 'number', month: 'number' },
  tvlUsd: 'number',
  tier: 'string',
  compositeScore: 'number',
} as const;

const vaultSummary = {
  vaultId: 'string',
  vaultAddress: 'string',
  name: 'string',
  protocol: 'string',
  asset: { symbol: 'string', address: 'string', decimals: 'number' },
  chain: 'string',
  chainId: 'number',
  shareDecimals: 'number',
  apy,
  risk,
  sharpe: { week: 'number', month: 'number' },
  tvlUsd: 'number',
  sharePrice: 'number',
  tier: 'string',
  compositeScores: { maximize_apy: 'number', minimize_risk: 'number', balanced: 'number' },
  listed: 'boolean',
  exclusions: ['string'],
  flags: ['string'],
} as const;

const numberOrNull = { oneOf: ['number', 'null'] } as const;
const stringOrNull = { oneOf: ['string', 'null'] } as const;
const priceSample = { oneOf: ['null', { timestamp: 'string', sharePrice: 'number' }] } as const;
const apyExplanation = {
  value: numberOrNull,
  quality: stringOrNull,
  servedBy: stringOrNull,
  from: priceSample,
  to: priceSample,
} as const;
const features = {
  yield: 'number',
  safety: 'number',
  sharpe: 'number',
  tvl: 'number',
  stability: 'number',
} as const;
const composite = { features, weights: features, quality: 'number', score: 'number' } as const;

const vaultReport = {
  ...vaultSummary,
  sources: ['string'],
  data: {
    firstSnapshotAt: stringOrNull,
    latestSnapshotAt: stringOrNull,
    ageSeconds: numberOrNull,
    blockNumber: numberOrNull,
    snapshots: 'number',
    externalSnapshots: 'number',
    gaps: [{ from: 'string', until: 'string' }],
    computedAt: 'string',
  },
  explanation: {
    apy: { now: apyExplanation, week: apyExplanation, month: apyExplanation },
    jumps: [{ timestamp: 'string', changePercent: 'number' }],
    spikesRepaired: 'number',
    sharpe: { riskFreeRate: 'number', weekObservations: 'number', monthObservations: 'number' },
    maxDrawdown90d: numberOrNull,
    volatility: numberOrNull,
    stability: 'number',
    tvl: { totalAssets: 'string', priceUsd: 'number', priceSource: 'string', usd: 'number' },
    benchmarkApy: numberOrNull,
    risk: {
      base: 'number',
      coverage: 'number',
      factors: [
        {
          factor: 'string',
          weight: 'number',
          input: { oneOf: ['string', 'number', 'null'] },
          value: 'number',
          isKnown: 'boolean',
          contribution: 'number',
        },
      ],
      floors: [{ reason: 'string', atLeast: 'number' }],
    },
    composite: { maximize_apy: composite, minimize_risk: composite, balanced: composite },
  },
  capability: {
    oneOf: [
      'null',
      {
        verdict: 'string',
        checkedAt: 'string',
        blockNumber: 'number',
        failedStep: stringOrNull,
        reason: stringOrNull,
        assetsIn: 'string',
        sharesOut: 'string',
        assetsOut: 'string',
      },
    ],
  },
} as const;

const signing = {
  domain: { name: 'string', version: 'string', chainId: 'number', verifyingContract: 'string' },
  primaryType: 'string',
  types: { Intent: [{ name: 'string', type: 'string' }] },
  message: { merkleRoot: 'string', chainId: 'number', expiry: 'number', validAfter: 'number' },
} as const;

const intentEnvelope = {
  version: 'string',
  intentId: 'string',
  chainId: 'number',
  entryPoint: 'string',
  sender: 'string',
  userOps: [
    {
      userOperation: {
        sender: 'string',
        nonce: 'string',
        initCode: 'string',
        callData: 'string',
        callGasLimit: 'string',
        verificationGasLimit: 'string',
        preVerificationGas: 'string',
        maxFeePerGas: 'string',
        maxPriorityFeePerGas: 'string',
        paymasterAndData: 'string',
        signature: 'string',
      },
    },
  ],
  destinationExecutions: ['any'],
  expiry: 'number',
  validAfter: 'number',
  merkleRoot: 'string',
  proofs: [['string']],
  signing,
} as const;

const limits = { maxEthWeiPerCall: 'string', maxUsdcBaseUnitsPerCall: 'string' } as const;

const execution = {
  intentEnvelope,
  to: 'string',
  calldata: 'string',
  estimatedGas: 'string',
  'slippage?': { maxSlippageBps: 'number', minOut: 'string', quotedOut: 'string' },
  'gasQuote?': { token: 'string', maxAmount: 'string', expectedAmount: 'string' },
  'summary?': 'string',
} as const;

const setupNeeded = {
  operation: 'string',
  intentId: 'string',
  needsSetup: 'boolean',
  setupType: 'string',
  strategy: { vaultName: 'string', expectedAPY: 'number', riskScore: 'string' },
  setup: {
    setupType: 'string',
    description: 'string',
    authorization: { oneOf: ['null', { contractAddress: 'string', chainId: 'number' }] },
    initCalldata: 'string',
    to: 'string',
    gas: { gasLimit: 'string', maxFeePerGas: 'string', maxPriorityFeePerGas: 'string' },
  },
  setupTicket: {
    version: 'number',
    walletAddress: 'string',
    chainId: 'number',
    implementation: 'string',
    initCalldataHash: 'string',
    setupType: 'string',
    expiresAt: 'string',
  },
  execution: 'null',
  intentEnvelope: 'null',
} as const;

const configured = {
  operation: 'string',
  intentId: 'string',
  needsSetup: 'boolean',
  execution,
} as const;

const rebalanceSource = { vaultId: 'string', vaultName: 'string', apy, risk, tvlUsd: 'number' } as const;
const rebalance = {
  source: rebalanceSource,
  target: { ...rebalanceSource, compositeScore: 'number' },
} as const;
const strategy = {
  vaultName: 'string',
  expectedAPY: 'number',
  riskScore: 'string',
  protocol: 'string',
  chain: 'string',
  tvl: 'number',
} as const;

const positionUpdate = {
  vaultId: 'string',
  vaultName: 'string',
  chain: 'string',
  sharesDelta: 'string',
  assetsDelta: 'string',
  effectivePrice: 'string',
  gasPaid: { token: 'string', amount: 'string' },
} as const;

/** The body of every error, 402 excepted. */
export const errorShape: Shape = {
  statusCode: 'number',
  error: 'string',
  code: 'string',
  detail: 'string',
  retryable: 'boolean',
  nextAction: 'string',
  details: 'any',
  requestId: 'string',
};

/** The body of each successful answer, by method and path. */
export const responseShapes: Readonly<Record<string, Shape>> = {
  'GET /health': {
    status: 'string',
    version: 'string',
    environment: 'string',
    uptimeSeconds: 'number',
    preflightMode: 'string',
    paymentEnforcement: 'string',
    freshness: { snapshotFreshnessStatus: 'string', latestSnapshotAt: { oneOf: ['string', 'null'] } },
    chains: {
      mapOf: {
        chainId: 'number',
        blockNumber: { oneOf: ['number', 'null'] },
        rpc: 'string',
        bundler: 'string',
      },
    },
  },
  'POST /v1/yield/discover': {
    chain: 'string',
    chainId: 'number',
    strategy: 'string',
    count: 'number',
    vaults: [vaultCandidate],
  },
  'POST /v1/yield/prepare': {
    oneOf: [
      setupNeeded,
      { ...setupNeeded, ...rebalance },
      configured,
      { ...configured, strategy },
      { ...configured, strategy, ...rebalance },
    ],
  },
  'POST /v1/yield/execute': {
    executionModel: 'string',
    result: 'string',
    userOpHash: 'string',
    txHash: 'string',
    chainId: 'number',
    chain: 'string',
    receipt: { status: 'string', gasUsed: 'string', blockNumber: 'number' },
    explorerUrl: 'string',
    positionUpdate,
    'sourcePositionUpdate?': positionUpdate,
  },
  'POST /v1/yield/setup-relay': {
    txHash: 'string',
    receiptStatus: 'string',
    blockNumber: 'string',
    relayMode: 'string',
    setupType: 'string',
    delegationVerified: 'boolean',
    modulesVerified: 'boolean',
    verifiedImplementation: 'string',
    setupRequired: 'string',
    verificationChecks: ['string'],
  },
  'GET /v1/yield/status': {
    positions: [
      {
        vaultId: 'string',
        vaultName: 'string',
        protocol: 'string',
        chain: 'string',
        depositedAmount: 'string',
        currentValue: 'string',
        apy: 'number',
        unrealizedYield: 'string',
        depositTimestamp: 'string',
      },
    ],
    totalValueUsd: 'number',
    totalDeposited: 'number',
    totalYieldEarned: 'number',
    positionCount: 'number',
  },
  'GET /v1/yield/history': {
    vaultId: 'string',
    period: 'string',
    resolution: 'string',
    data: [{ timestamp: 'string', apy: 'number', tvl: 'number' }],
    summary: { avgApy: 'number', maxApy: 'number', minApy: 'number', avgTvl: 'number', dataPoints: 'number' },
  },
  'GET /v1/yield/vaults': {
    count: 'number',
    total: 'number',
    nextCursor: stringOrNull,
    vaults: [vaultSummary],
  },
  'GET /v1/yield/vaults/{vaultId}': vaultReport,
  'POST /v1/testing/fund-wallet': {
    success: 'boolean',
    environment: 'string',
    chain: 'string',
    chainId: 'number',
    walletAddress: 'string',
    forkId: 'string',
    funded: {
      eth: { requestedAmountWei: 'string', resultingBalanceWei: 'string' },
      usdc: {
        tokenAddress: 'string',
        requestedAmountBaseUnits: 'string',
        resultingBalanceBaseUnits: 'string',
      },
    },
    limits,
    allowlistEnforced: 'boolean',
  },
  'GET /v1/testing/fork-status': {
    success: 'boolean',
    environment: 'string',
    preflightMode: 'string',
    limits,
    supportedTokens: [{ chain: 'string', chainId: 'number', tokens: { mapOf: 'string' } }],
    health: {
      status: 'string',
      activeForks: 'number',
      maxForks: { oneOf: ['number', 'null'] },
      version: 'string',
    },
    primaryForks: [
      {
        chain: 'string',
        chainId: 'number',
        id: 'string',
        status: 'string',
        rpcUrl: { oneOf: ['string', 'null'] },
        blockNumber: 'number',
        createdAt: 'string',
      },
    ],
    activeForks: {
      mapOf: {
        chainId: 'number',
        count: 'number',
        forks: [{ id: 'string', status: 'string', kind: 'string', createdAt: 'string' }],
      },
    },
  },
};

function mismatches(value: unknown, shape: Shape, path: string): string[] {
  if (shape === 'any') return [];
  if (typeof shape === 'string') {
    const actual = value === null ? 'null' : typeof value;
    return actual === shape ? [] : [`${path} is ${actual}, not ${shape}`];
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${path} is no array`];
    return value.flatMap((item, index) =>
      mismatches(item, (shape as readonly [Shape])[0], `${path}[${index}]`),
    );
  }
  if ('oneOf' in shape) {
    const variants = (shape.oneOf as readonly Shape[]).map((variant) => mismatches(value, variant, path));
    return variants.some((problems) => problems.length === 0)
      ? []
      : variants.reduce((least, problems) => (problems.length < least.length ? problems : least));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`];
  if ('mapOf' in shape)
    return Object.entries(value).flatMap(([key, item]) =>
      mismatches(item, shape.mapOf as Shape, `${path}.${key}`),
    );
  const fields = new Map(
    Object.entries(shape).map(([key, field]) => [
      key.replace(/\?$/, ''),
      { field, optional: key.endsWith('?') },
    ]),
  );
  return [
    ...Object.keys(value)
      .filter((key) => !fields.has(key))
      .map((key) => `${path}.${key} is not in the interface`),
    ...[...fields].flatMap(([key, { field, optional }]) => {
      if (!(key in value)) return optional ? [] : [`${path}.${key} is missing`];
      return mismatches((value as Record<string, unknown>)[key], field, `${path}.${key}`);
    }),
  ];
}

/** List where a body differs from a shape; empty when it does not. */
export function shapeMismatches(value: unknown, shape: Shape): string[] {
  return mismatches(value, shape, 'body');
}
