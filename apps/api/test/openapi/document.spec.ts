import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue } from '@yield-vault/protocol';
import { generateDocument } from '../../src/openapi/generate-document.js';
import { shapeOf, type Shape } from '../support/shape-of.js';

let document: OpenAPIObject;
beforeAll(async () => {
  document = await generateDocument();
});

type Method = 'get' | 'post';
const operation = (method: Method, path: string) => {
  const found = document.paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is not documented`);
  return found;
};

function requestShape(path: string): Shape {
  const { requestBody } = operation('post', path);
  if (!requestBody || '$ref' in requestBody) throw new Error('no request body');
  return shapeOf(document, requestBody.content['application/json']?.schema ?? {});
}

function responseShape(method: Method, path: string, status = '200'): Shape {
  const response = operation(method, path).responses[status];
  if (!response || '$ref' in response) throw new Error('no response');
  return shapeOf(document, response.content?.['application/json']?.schema ?? {});
}

const queryShape = (path: string) =>
  Object.fromEntries(
    (operation('get', path).parameters ?? []).map((parameter) => {
      if ('$ref' in parameter) throw new Error('a parameter by reference');
      return [
        parameter.required ? parameter.name : `${parameter.name}?`,
        shapeOf(document, parameter.schema ?? {}),
      ];
    }),
  );

const strategy = '"maximize_apy" | "minimize_risk" | "balanced"';
const level = '"low" | "medium" | "high"';
const setupType = '"full" | "modules"';
const apy = { now: 'number', week: 'number', month: 'number' };
const risk = {
  score: 'number',
  level,
  rating: '"A+" | "A" | "A-" | "B+" | "B" | "B-" | "C" | "D" | "F"',
};
const signing = {
  domain: { name: 'string', version: 'string', chainId: 'integer', verifyingContract: 'string' },
  primaryType: '"Intent"',
  types: { Intent: [{ name: 'string', type: 'string' }] },
  message: { merkleRoot: 'string', chainId: 'integer', expiry: 'integer', validAfter: 'integer' },
};
const userOps = [
  {
    userOperation: {
      sender: 'string',
      nonce: 'string',
      callData: 'string',
      signature: 'string',
      'initCode?': 'string',
      'callGasLimit?': 'string',
      'verificationGasLimit?': 'string',
      'preVerificationGas?': 'string',
      'maxFeePerGas?': 'string',
      'maxPriorityFeePerGas?': 'string',
      'paymasterAndData?': 'string',
      '...': 'any',
    },
    'eip7702Auth?': 'any',
    'validatorSig?': 'string',
    '...': 'any',
  },
];
const setupStrategy = { vaultName: 'string', expectedAPY: 'number', riskScore: level };
const executionStrategy = { ...setupStrategy, protocol: 'string', chain: 'string', tvl: 'number' };
const source = { vaultId: 'string', vaultName: 'string', apy, risk, tvlUsd: 'number' };
const target = { ...source, compositeScore: 'number' };
const execution = {
  intentEnvelope: {
    version: '"1"',
    intentId: 'string',
    chainId: 'integer',
    entryPoint: 'string',
    sender: 'string',
    userOps,
    destinationExecutions: ['any'],
    expiry: 'integer',
    validAfter: 'integer',
    merkleRoot: 'string',
    proofs: [['string']],
    signing,
  },
  to: 'string',
  calldata: 'string',
  estimatedGas: 'string',
  slippage: { maxSlippageBps: 'integer', minOut: 'string', quotedOut: 'string' },
  gasQuote: { token: 'string', maxAmount: 'string', expectedAmount: 'string' },
  costs: { gasUsd: 'number', exitGasUsd: 'number', breakEvenDays: ['number', 'null'] },
  summary: 'string',
};
const positionUpdate = {
  vaultId: 'string',
  vaultName: 'string',
  chain: 'string',
  sharesDelta: 'string',
  assetsDelta: 'string',
  effectivePrice: 'string',
  gasPaid: { token: 'string', amount: 'string' },
};
const setupChecks = [
  'ticket-not-expired',
  'chain-active',
  'implementation-match',
  'tx-type-valid',
  'chain-id-match',
  'self-call',
  'calldata-hash-match',
  'auth-list-valid',
  'signer-match',
  'tx-broadcast',
  'receipt-success',
  'delegation-verified',
  'modules-verified',
];

describe('the fields and types of the interface', () => {
  it('POST /v1/yield/discover', () => {
    expect(requestShape('/v1/yield/discover')).toEqual({
      'chain?': 'string',
      'asset?': 'string',
      'strategy?': strategy,
      'riskTolerance?': level,
      'minApy?': 'number',
      'limit?': 'integer',
    });
    expect(responseShape('post', '/v1/yield/discover')).toEqual({
      chain: 'string',
      chainId: 'integer',
      strategy,
      count: 'integer',
      vaults: [
        {
          vaultId: 'string',
          vaultAddress: 'string',
          name: 'string',
          protocol: 'string',
          asset: 'string',
          assetAddress: 'string',
          assetDecimals: 'integer',
          chain: 'string',
          apy,
          risk,
          sharpe: { week: 'number', month: 'number' },
          tvlUsd: 'number',
          tier: '"prime" | "core" | "edge"',
          compositeScore: 'number',
        },
      ],
    });
  });

  const summary = {
    vaultId: 'string',
    vaultAddress: 'string',
    name: 'string',
    protocol: 'string',
    asset: { symbol: 'string', address: 'string', decimals: 'integer' },
    chain: 'string',
    chainId: 'integer',
    shareDecimals: 'integer',
    apy,
    risk,
    sharpe: { week: 'number', month: 'number' },
    tvlUsd: 'number',
    sharePrice: 'number',
    tier: '"prime" | "core" | "edge"',
    compositeScores: { maximize_apy: 'number', minimize_risk: 'number', balanced: 'number' },
    listed: 'boolean',
    exclusions: ['string'],
    flags: ['string'],
  };

  it('GET /v1/yield/vaults', () => {
    expect(queryShape('/v1/yield/vaults')).toEqual({
      'chain?': 'string',
      'asset?': 'string',
      'listed?': 'boolean',
      'limit?': 'integer',
      'cursor?': 'string',
    });
    expect(responseShape('get', '/v1/yield/vaults')).toEqual({
      count: 'integer',
      total: 'integer',
      nextCursor: ['string', 'null'],
      vaults: [summary],
    });
  });

  it('GET /v1/yield/vaults/{vaultId}', () => {
    expect(queryShape('/v1/yield/vaults/{vaultId}')).toEqual({ vaultId: 'string' });
    const sample = [{ timestamp: 'string', sharePrice: 'number' }, 'null'];
    const oneApy = {
      value: ['number', 'null'],
      quality: ['"full" | "gap" | "partial"', 'null'],
      servedBy: ['"now" | "week" | "month"', 'null'],
      from: sample,
      to: sample,
    };
    const parts = {
      ...{ yield: 'number', safety: 'number', sharpe: 'number', tvl: 'number', stability: 'number' },
    };
    const composite = { features: parts, weights: parts, quality: 'number', score: 'number' };
    expect(responseShape('get', '/v1/yield/vaults/{vaultId}')).toEqual({
      ...summary,
      sources: ['string'],
      data: {
        firstSnapshotAt: ['string', 'null'],
        latestSnapshotAt: ['string', 'null'],
        ageSeconds: ['integer', 'null'],
        blockNumber: ['integer', 'null'],
        snapshots: 'integer',
        externalSnapshots: 'integer',
        gaps: [{ from: 'string', until: 'string' }],
        computedAt: 'string',
      },
      explanation: {
        apy: { now: oneApy, week: oneApy, month: oneApy },
        jumps: [{ timestamp: 'string', changePercent: 'number' }],
        spikesRepaired: 'integer',
        sharpe: { riskFreeRate: 'number', weekObservations: 'integer', monthObservations: 'integer' },
        maxDrawdown90d: ['number', 'null'],
        volatility: ['number', 'null'],
        stability: 'number',
        tvl: { totalAssets: 'string', priceUsd: 'number', priceSource: 'string', usd: 'number' },
        benchmarkApy: ['number', 'null'],
        risk: {
          base: 'number',
          coverage: 'number',
          factors: [
            {
              factor: 'string',
              weight: 'number',
              input: ['string', 'number', 'null'],
              value: 'number',
              isKnown: 'boolean',
              contribution: 'number',
            },
          ],
          floors: [{ reason: 'string', atLeast: 'number' }],
        },
        composite: { maximize_apy: composite, minimize_risk: composite, balanced: composite },
      },
      capability: [
        {
          verdict: '"ok" | "deposit-closed" | "paused" | "below-minimum" | "whitelist" | "reverts" | "async"',
          checkedAt: 'string',
          blockNumber: 'integer',
          failedStep: ['"deposit" | "redeem"', 'null'],
          reason: ['string', 'null'],
          assetsIn: 'string',
          sharesOut: 'string',
          assetsOut: 'string',
        },
        'null',
      ],
    });
  });

  it('POST /v1/yield/prepare', () => {
    expect(requestShape('/v1/yield/prepare')).toEqual({
      'operation?': '"deposit" | "redeem" | "rebalance"',
      'chain?': 'string',
      agentAddress: 'string',
      vaultId: 'string',
      'asset?': 'string',
      'amount?': 'string',
      'shares?': 'string',
      'percentage?': 'number',
    });
    const ready = { intentId: 'string', needsSetup: 'false', execution };
    const setup = {
      operation: '"deposit" | "redeem" | "rebalance"',
      intentId: 'string',
      needsSetup: 'true',
      setupType,
      strategy: setupStrategy,
      setup: {
        setupType,
        description: 'string',
        authorization: [{ contractAddress: 'string', chainId: 'integer' }, 'null'],
        initCalldata: 'string',
        to: 'string',
        gas: { gasLimit: 'string', maxFeePerGas: 'string', maxPriorityFeePerGas: 'string' },
      },
      setupTicket: {
        version: '1',
        walletAddress: 'string',
        chainId: 'integer',
        implementation: 'string',
        initCalldataHash: 'string',
        setupType,
        expiresAt: 'string',
      },
      gaslessSetup: [
        {
          authorization: [{ contractAddress: 'string', chainId: 'integer', nonce: 'integer' }, 'null'],
          permit: {
            domain: {
              name: 'string',
              version: 'string',
              chainId: 'integer',
              verifyingContract: 'string',
            },
            types: { Permit: [{ name: 'string', type: 'string' }] },
            primaryType: '"Permit"',
            message: {
              owner: 'string',
              spender: 'string',
              value: 'string',
              nonce: 'string',
              deadline: 'string',
            },
          },
          endpoint: '"/v1/yield/gasless-setup"',
        },
        'null',
      ],
      execution: 'null',
      intentEnvelope: 'null',
      'source?': source,
      'target?': target,
    };
    expect(responseShape('post', '/v1/yield/prepare')).toEqual([
      [setup, { ...ready, operation: '"deposit"', strategy: executionStrategy }],
      [setup, { ...ready, operation: '"redeem"' }],
      [setup, { ...ready, operation: '"rebalance"', strategy: executionStrategy, source, target }],
    ]);
  });

  it('POST /v1/yield/gasless-setup', () => {
    expect(requestShape('/v1/yield/gasless-setup')).toEqual({
      'chain?': 'string',
      agentAddress: 'string',
      vaultId: 'string',
      asset: 'string',
      amount: 'string',
      permitSignature: 'string',
      'authorization?': {
        chainId: 'integer',
        address: 'string',
        nonce: 'integer',
        yParity: 'integer',
        r: 'string',
        s: 'string',
      },
    });
    expect(responseShape('post', '/v1/yield/gasless-setup')).toMatchObject({
      operation: '"deposit"',
      needsSetup: 'false',
    });
  });

  it('POST /v1/yield/execute', () => {
    expect(requestShape('/v1/yield/execute')).toEqual({
      intentEnvelope: {
        version: '"1"',
        'intentId?': 'string',
        chainId: 'integer',
        'entryPoint?': 'string',
        'sender?': 'string',
        userOps,
        'destinationExecutions?': ['any'],
        expiry: 'integer',
        validAfter: 'integer',
        merkleRoot: 'string',
        'proofs?': [['string']],
        'signing?': signing,
        'eip7702AuthRequest?': 'any',
      },
      intentSignature: 'string',
      'intentId?': 'string',
    });
    expect(responseShape('post', '/v1/yield/execute')).toEqual({
      executionModel: '"erc4337-validator-intent-v1"',
      result: '"executed" | "already_executed"',
      userOpHash: 'string',
      txHash: 'string',
      chainId: 'integer',
      chain: 'string',
      receipt: { status: '"success" | "reverted"', gasUsed: 'string', blockNumber: 'integer' },
      explorerUrl: 'string',
      positionUpdate,
      'sourcePositionUpdate?': positionUpdate,
    });
  });

  it('POST /v1/yield/setup-relay', () => {
    expect(requestShape('/v1/yield/setup-relay')).toEqual({
      setupTicket: {
        version: '1',
        walletAddress: 'string',
        chainId: 'integer',
        implementation: 'string',
        initCalldataHash: 'string',
        'setupType?': setupType,
        expiresAt: 'string',
      },
      signedRawTx: 'string',
      'confirmations?': 'integer',
    });
    expect(responseShape('post', '/v1/yield/setup-relay')).toEqual({
      txHash: 'string',
      receiptStatus: '"success"',
      blockNumber: 'string',
      relayMode: '"managed-fork" | "chain"',
      setupType,
      delegationVerified: 'boolean',
      modulesVerified: 'boolean',
      verifiedImplementation: 'string',
      setupRequired: '"none"',
      verificationChecks: [setupChecks.map((name) => `"${name}"`).join(' | ')],
    });
  });

  it('GET /v1/yield/chains', () => {
    expect(responseShape('get', '/v1/yield/chains')).toEqual({
      chains: [
        {
          chain: 'string',
          chainId: 'integer',
          name: 'string',
          relayMode: '"managed-fork" | "chain"',
          assets: [{ symbol: 'string', address: 'string', decimals: 'integer' }],
          contracts: {
            entryPoint: 'string',
            implementation: 'string',
            validator: 'string',
            executor: 'string',
            paymaster: 'string',
            usdc: 'string',
          },
          intentLifetimeSeconds: 'integer',
          confirmations: 'integer',
        },
      ],
    });
  });

  it('GET /v1/yield/status', () => {
    expect(queryShape('/v1/yield/status')).toEqual({ userAddress: 'string' });
    expect(responseShape('get', '/v1/yield/status')).toEqual({
      positions: [
        {
          vaultId: 'string',
          vaultAddress: 'string',
          vaultName: 'string',
          protocol: 'string',
          chain: 'string',
          asset: 'string',
          shares: 'string',
          depositedAmount: 'string',
          costBasis: '"exact" | "pending"',
          currentValue: 'string',
          apy: 'number',
          unrealizedYield: 'string',
          depositTimestamp: 'string',
        },
      ],
      totalValueUsd: 'number',
      totalDeposited: 'number',
      totalYieldEarned: 'number',
      totalGasPaidUsd: 'number',
      positionCount: 'integer',
    });
  });

  it('GET /v1/yield/history', () => {
    const period = '"1h" | "24h" | "7d" | "30d" | "90d"';
    const resolution = '"hourly" | "daily"';
    expect(queryShape('/v1/yield/history')).toEqual({
      vaultId: 'string',
      'period?': period,
      'resolution?': resolution,
    });
    expect(responseShape('get', '/v1/yield/history')).toEqual({
      vaultId: 'string',
      period,
      resolution,
      data: [{ timestamp: 'string', apy: 'number', tvl: 'number' }],
      summary: {
        avgApy: 'number',
        maxApy: 'number',
        minApy: 'number',
        avgTvl: 'number',
        dataPoints: 'integer',
      },
    });
  });

  const limits = { maxEthWeiPerCall: 'string', maxUsdcBaseUnitsPerCall: 'string' };
  const environment = '"local" | "staging" | "preproduction" | "production"';

  it('POST /v1/testing/fund-wallet', () => {
    expect(requestShape('/v1/testing/fund-wallet')).toEqual({
      chain: 'string',
      walletAddress: 'string',
      'ethWei?': 'string',
      'usdcAmount?': 'string',
    });
    expect(responseShape('post', '/v1/testing/fund-wallet')).toEqual({
      success: 'true',
      environment,
      chain: 'string',
      chainId: 'integer',
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
    });
  });

  it('GET /v1/testing/fork-status', () => {
    expect(queryShape('/v1/testing/fork-status')).toEqual({});
    expect(responseShape('get', '/v1/testing/fork-status')).toEqual({
      success: 'true',
      environment,
      preflightMode: '"off" | "enforce"',
      limits,
      supportedTokens: [{ chain: 'string', chainId: 'integer', tokens: { '...': 'string' } }],
      health: {
        status: 'string',
        activeForks: 'integer',
        maxForks: ['integer', 'null'],
        version: 'string',
      },
      primaryForks: [
        {
          chain: 'string',
          chainId: 'integer',
          id: 'string',
          status: 'string',
          rpcUrl: ['string', 'null'],
          blockNumber: 'integer',
          createdAt: 'string',
        },
      ],
      activeForks: {
        '...': {
          chainId: 'integer',
          count: 'integer',
          forks: [
            {
              id: 'string',
              status: 'string',
              kind: '"persistent" | "ephemeral"',
              backend: '"node" | "anvil"',
              createdAt: 'string',
            },
          ],
        },
      },
    });
  });

  it('GET /health and /health/ready', () => {
    expect(responseShape('get', '/health')).toEqual({
      status: '"ok" | "degraded"',
      version: 'string',
      environment,
      uptimeSeconds: 'integer',
      preflightMode: '"off" | "enforce"',
      paymentEnforcement: '"on" | "off"',
      freshness: {
        snapshotFreshnessStatus: '"healthy" | "stale" | "critical"',
        latestSnapshotAt: ['string', 'null'],
      },
      chains: {
        '...': {
          chainId: 'integer',
          blockNumber: ['integer', 'null'],
          rpc: '"ok" | "down"',
          bundler: '"ok" | "down" | "off"',
        },
      },
    });
    expect(responseShape('get', '/health/ready')).toEqual({ status: '"ready"' });
  });
});

describe('the limits of the interface', () => {
  it.each([
    ['/v1/yield/discover', 'limit', { minimum: 1, maximum: 20, default: 5 }],
    ['/v1/yield/discover', 'chain', { default: 'base' }],
    ['/v1/yield/discover', 'strategy', { default: 'balanced' }],
    ['/v1/yield/discover', 'minApy', { minimum: 0 }],
    ['/v1/yield/prepare', 'operation', { default: 'deposit' }],
    ['/v1/yield/prepare', 'chain', { default: 'base' }],
    ['/v1/yield/prepare', 'percentage', { exclusiveMinimum: 0, maximum: 100 }],
    ['/v1/yield/prepare', 'agentAddress', { pattern: '^0x[0-9a-fA-F]{40}$' }],
    ['/v1/yield/setup-relay', 'confirmations', { minimum: 1, maximum: 10, default: 2 }],
    ['/v1/testing/fund-wallet', 'ethWei', { pattern: '^\\d+$' }],
    ['/v1/testing/fund-wallet', 'usdcAmount', { pattern: '^\\d+$' }],
    ['/v1/testing/fund-wallet', 'walletAddress', { pattern: '^0x[0-9a-fA-F]{40}$' }],
  ])('%s %s', (path, field, expected) => {
    const body = operation('post', path).requestBody;
    const schema = body && 'content' in body ? body.content['application/json']?.schema : undefined;
    const name = (schema as { $ref: string }).$ref.replace('#/components/schemas/', '');
    const properties = (document.components?.schemas?.[name] as { properties: Record<string, object> })
      .properties;
    expect(properties[field]).toMatchObject(expected);
  });
});

describe('the document', () => {
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      (['get', 'post', 'put', 'patch', 'delete', 'options', 'head'] as const).flatMap((method) => {
        const found = item[method];
        return found ? [{ path, method, found }] : [];
      }),
    );

  it('default: version, tags and routes', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Yield Vault Service', version: '0.1.0' });
    expect(document.tags?.map(({ name }) => name)).toEqual([
      'Discovery',
      'Intents',
      'Relay',
      'Portfolio',
      'Testing',
      'Service',
    ]);
    expect(operations().map(({ path, method }) => `${method} ${path}`)).toEqual([
      'post /v1/yield/discover',
      'get /v1/yield/chains',
      'get /v1/yield/vaults',
      'get /v1/yield/vaults/{vaultId}',
      'post /v1/yield/prepare',
      'post /v1/yield/gasless-setup',
      'post /v1/yield/execute',
      'get /v1/yield/intents',
      'get /v1/yield/intents/{intentId}',
      'post /v1/yield/setup-relay',
      'get /v1/yield/status',
      'get /v1/yield/history',
      'post /v1/testing/fund-wallet',
      'get /v1/testing/fork-status',
      'get /.well-known/x402',
      'get /health',
      'get /health/ready',
      'get /metrics',
    ]);
  });

  it('behavior: every operation has one known tag, a summary, a description and an id of its own', () => {
    const tags = document.tags?.map(({ name }) => name);
    for (const { found } of operations()) {
      expect(found.tags).toHaveLength(1);
      expect(tags).toContain(found.tags?.[0]);
      expect(found.summary).toBeTruthy();
      expect(found.description).toBeTruthy();
    }
    const ids = operations().map(({ found }) => found.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('behavior: every response of 4xx and 5xx but 402 has the error body', () => {
    for (const { path, found } of operations()) {
      const statuses = Object.keys(found.responses).filter(
        (status) => Number(status) >= 400 && status !== '402',
      );
      expect(statuses).toContain('500');
      if (path.startsWith('/v1/')) expect(statuses).toEqual(expect.arrayContaining(['400', '429', '503']));
      for (const status of statuses) {
        const response = found.responses[status];
        if (!response || '$ref' in response) throw new Error('no response');
        expect(response.content?.['application/json']?.schema).toEqual({
          $ref: '#/components/schemas/Error',
        });
        if (status === '429' || status === '503') expect(response.headers).toHaveProperty('Retry-After');
      }
    }
  });

  it('behavior: an error has one of the codes that the API answers, none of the fork service', () => {
    const { UNAUTHORIZED: _ofForkService, ...answered } = errorCatalogue;
    const { properties } = document.components?.schemas?.['Error'] as { properties: { code: object } };
    expect(properties.code).toMatchObject({ enum: Object.keys(answered) });
  });

  it('behavior: payment required is documented where a call may have a price', () => {
    const paid = operations().filter(({ found }) => '402' in found.responses);
    expect(paid.map(({ path }) => path)).toEqual([
      '/v1/yield/discover',
      '/v1/yield/prepare',
      '/v1/yield/gasless-setup',
    ]);
  });

  it('behavior: every reference resolves, and no mark-up remains', () => {
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/([^"]*)"/g)) {
      expect(document.components?.schemas).toHaveProperty([name ?? '']);
    }
    expect(text).not.toContain('x-any');
    expect(text).not.toContain('Dto');
  });

  it('behavior: nothing in it leads outside but licence and contact', () => {
    const hosts = [...JSON.stringify(document).matchAll(/https?:\/\/([^/"]+)/g)].map(([, host]) => host);
    expect(new Set(hosts)).toEqual(
      new Set(['www.apache.org', 'basescan.org', '127.0.0.1:3100', 'api.example.org', 'github.com']),
    );
  });
});
