import * as z from 'zod';
import { firstProblem } from '../verify/wire-values.js';

const text = z.string();
const number = z.number();
const integer = z.int();
const flag = z.boolean();
const anything = z.looseObject({});
const digits = text.regex(/^\d+$/, 'is not decimal digits');
const decimal = text.regex(/^-?\d+(\.\d+)?$/, 'is not a decimal number');
const address = text.regex(/^0x[0-9a-fA-F]{40}$/, 'is not an address');
const hash = text.regex(/^0x[0-9a-fA-F]{64}$/, 'is not 0x and 64 hex digits');
const time = z.iso.datetime();

const apy = z.looseObject({ now: number, week: number, month: number });
const risk = z.looseObject({ score: number, level: text, rating: text });
const sharpe = z.looseObject({ week: number, month: number });
const asset = z.looseObject({ symbol: text, address, decimals: integer });
const vault = { vaultId: digits, vaultAddress: address, name: text, protocol: text, chain: text };
const metrics = { apy, risk, sharpe, tvlUsd: number, tier: text };
const vaultSummary = z.looseObject({
  ...vault,
  ...metrics,
  asset,
  chainId: integer,
  shareDecimals: integer,
  sharePrice: number,
  listed: flag,
});
const side = z.looseObject({ vaultId: digits, vaultName: text, apy, risk, tvlUsd: number });
const strategy = z.looseObject({ vaultName: text, expectedAPY: number, riskScore: text });
const prepared = { operation: text, intentId: hash, source: side.optional(), target: side.optional() };
const configured = z.looseObject({
  ...prepared,
  needsSetup: z.literal(false),
  strategy: strategy.optional(),
  execution: z.looseObject({
    intentEnvelope: anything,
    to: address,
    calldata: text,
    estimatedGas: digits,
    slippage: z.looseObject({ maxSlippageBps: integer, minOut: digits, quotedOut: digits }),
    gasQuote: z.looseObject({ token: address, maxAmount: digits, expectedAmount: digits }),
    costs: z.looseObject({ gasUsd: number, exitGasUsd: number, breakEvenDays: number.nullable() }),
    summary: text,
  }),
});
const positionUpdate = z.looseObject({
  vaultId: digits,
  vaultName: text,
  chain: text,
  sharesDelta: decimal,
  assetsDelta: decimal,
  effectivePrice: decimal,
  gasPaid: z.looseObject({ token: address, amount: decimal }),
});
const executed = z.looseObject({
  executionModel: text,
  result: text,
  userOpHash: hash,
  txHash: hash,
  chainId: integer,
  chain: text,
  receipt: z.looseObject({ status: text, gasUsed: digits, blockNumber: integer }),
  explorerUrl: text,
  positionUpdate,
  sourcePositionUpdate: positionUpdate.optional(),
});
const intent = z.looseObject({
  intentId: hash,
  state: text,
  chain: text,
  chainId: integer,
  wallet: address,
  userOpHash: hash,
  txHash: hash.nullable(),
  expiry: integer,
  createdAt: time,
  updatedAt: time,
  result: executed.nullable(),
  failure: z.looseObject({ code: text, detail: text, details: anything, nextAction: text }).nullable(),
});
const limits = z.looseObject({ maxEthWeiPerCall: digits, maxUsdcBaseUnitsPerCall: digits });

/**
 * The shape of each response. Names such as a state or a tier are any text, so that a newer service may add
 * values. `verify` checks the documents to sign.
 */
const shapes = {
  'POST /v1/yield/discover': z.looseObject({
    chain: text,
    chainId: integer,
    strategy: text,
    count: integer,
    vaults: z.array(
      z.looseObject({
        ...{ ...vault, ...metrics, compositeScore: number },
        ...{ asset: text, assetAddress: address, assetDecimals: integer },
      }),
    ),
  }),
  'GET /v1/yield/chains': z.looseObject({
    chains: z.array(
      z.looseObject({
        ...{ chain: text, chainId: integer, name: text, relayMode: text },
        assets: z.array(asset),
        contracts: z.looseObject({
          ...{ entryPoint: address, implementation: address, validator: address },
          ...{ executor: address, paymaster: address, usdc: address },
        }),
        ...{ intentLifetimeSeconds: integer, confirmations: integer },
      }),
    ),
  }),
  'GET /v1/yield/vaults': z.looseObject({
    count: integer,
    total: integer,
    nextCursor: text.nullable(),
    vaults: z.array(vaultSummary),
  }),
  'GET /v1/yield/vaults/{vaultId}': vaultSummary.extend({ data: anything, explanation: anything }),
  'POST /v1/yield/prepare': z.discriminatedUnion('needsSetup', [
    z.looseObject({
      ...prepared,
      needsSetup: z.literal(true),
      setupType: text,
      strategy,
      setup: anything,
      setupTicket: anything,
      gaslessSetup: anything.nullish(),
      execution: z.null(),
      intentEnvelope: z.null(),
    }),
    configured,
  ]),
  'POST /v1/yield/gasless-setup': configured,
  'POST /v1/yield/execute': executed,
  'GET /v1/yield/intents/{intentId}': intent,
  'GET /v1/yield/intents': z.looseObject({ wallet: address, count: integer, intents: z.array(intent) }),
  'POST /v1/yield/setup-relay': z.looseObject({
    txHash: hash,
    receiptStatus: text,
    blockNumber: digits,
    relayMode: text,
    setupType: text,
    delegationVerified: flag,
    modulesVerified: flag,
    verifiedImplementation: address,
    setupRequired: text,
    verificationChecks: z.array(text),
  }),
  'GET /v1/yield/status': z.looseObject({
    positions: z.array(
      z.looseObject({
        vaultId: digits,
        vaultAddress: address,
        vaultName: text,
        protocol: text,
        chain: text,
        asset: text,
        shares: digits,
        depositedAmount: decimal,
        costBasis: text,
        currentValue: decimal,
        apy: number,
        unrealizedYield: decimal,
        depositTimestamp: time,
      }),
    ),
    totalValueUsd: number,
    totalDeposited: number,
    totalYieldEarned: number,
    totalGasPaidUsd: number,
    positionCount: integer,
  }),
  'GET /v1/yield/history': z.looseObject({
    vaultId: digits,
    period: text,
    resolution: text,
    data: z.array(z.looseObject({ timestamp: time, apy: number, tvl: number })),
    summary: z.looseObject({ avgApy: number, maxApy: number, minApy: number, avgTvl: number }),
  }),
  'POST /v1/testing/fund-wallet': z.looseObject({
    success: flag,
    chain: text,
    chainId: integer,
    walletAddress: address,
    forkId: text,
    funded: z.looseObject({
      eth: z.looseObject({ requestedAmountWei: digits, resultingBalanceWei: digits }),
      usdc: z.looseObject({
        tokenAddress: address,
        requestedAmountBaseUnits: digits,
        resultingBalanceBaseUnits: digits,
      }),
    }),
    limits,
    allowlistEnforced: flag,
  }),
  'GET /v1/testing/fork-status': z.looseObject({
    success: flag,
    preflightMode: text,
    limits,
    supportedTokens: z.array(
      z.looseObject({ chain: text, chainId: integer, tokens: z.record(text, address) }),
    ),
    primaryForks: z.array(
      z.looseObject({ chain: text, chainId: integer, id: text, status: text, rpcUrl: text.nullable() }),
    ),
    activeForks: z.record(
      text,
      z.looseObject({ chainId: integer, count: integer, forks: z.array(anything) }),
    ),
  }),
  'GET /health': z.looseObject({ status: text, version: text, preflightMode: text, chains: anything }),
} as const satisfies Record<string, z.ZodType>;

/** An endpoint, e.g. `POST /v1/yield/discover`. */
export type Endpoint = keyof typeof shapes;

export const endpoints = Object.keys(shapes) as Endpoint[];

/**
 * Say what is wrong with the body of a response.
 *
 * @returns field and problem, without a value of the body; `undefined` when nothing is wrong
 */
export function problemOf(endpoint: Endpoint, body: unknown): string | undefined {
  const { error } = shapes[endpoint].safeParse(body);
  if (!error) return undefined;
  const { field, detail } = firstProblem(error);
  return `${field || 'the body'}: ${detail}`;
}
