import type { Risk, RiskLevel, RiskRating, Tier } from '@yield-vault/protocol';
import { clamp, round } from './statistics.js';

/** The inputs of the risk of a vault; absent means unknown. */
export interface RiskInput {
  readonly admin?: string;
  /** Seconds. */
  readonly timelock?: number;
  /** Signatures that the Safe of a multisig admin needs. */
  readonly safeThreshold?: number;
  readonly audits?: number;
  readonly curator?: string;
  readonly strategy?: string;
  readonly ageDays?: number;
  readonly tvlUsd?: number;
  /** Fraction that the largest depositor owns. */
  readonly top1Share?: number;
  /** Fraction. */
  readonly maxDrawdown90d?: number;
  /** Annualised, as a fraction. */
  readonly volAnnual?: number;
  /** Percent. */
  readonly apyNow?: number;
  /** APY in percent of large vaults of the same chain and kind of asset. */
  readonly benchmarkApy?: number;
  /** Fraction of the assets that can leave at once. */
  readonly liquidity?: number;
  /** USD that holders could redeem at once. */
  readonly exitUsd?: number;
  /** Fraction of the assets that holders could redeem at once. */
  readonly exitFraction?: number;
  /** The lowest decile of that fraction in 30 days. */
  readonly exitFractionP10?: number;
  /** Deposits or redeems take more than one transaction. */
  readonly isAsync?: boolean;
  readonly assetClass?: string;
  readonly oracle?: string;
  /** Fraction lost within 30 days. */
  readonly loss30d?: number;
  /** Distance of the asset's price from its peg, as a fraction. */
  readonly depeg?: number;
  readonly hasJump7d?: boolean;
  readonly daysSinceIncident?: number;
}

/** In percent of the score. */
export const riskWeights = {
  admin: 12,
  audit: 8,
  curator: 4,
  complexity: 6,
  age: 10,
  tvl: 10,
  concentration: 10,
  drawdown: 8,
  volatility: 6,
  apyAnomaly: 6,
  liquidity: 10,
  asset: 6,
  oracle: 4,
} as const;

export type RiskFactor = keyof typeof riskWeights;

/** The value of an unknown factor: never the best one. */
export const unknownPriors: Readonly<Record<RiskFactor, number>> = {
  admin: 60,
  audit: 80,
  curator: 60,
  complexity: 60,
  age: 80,
  tvl: 80,
  concentration: 50,
  drawdown: 50,
  volatility: 50,
  apyAnomaly: 50,
  liquidity: 60,
  asset: 80,
  oracle: 50,
};

/** Words of the registry with their values. */
export const riskWords = {
  curator: { none_needed: 0, guarded: 0, known_guarded: 0, known: 30, unknown: 100 },
  strategy: {
    savings: 0,
    lending: 0,
    isolated: 10,
    multi_market: 30,
    autocompound: 40,
    aggregator: 60,
    leveraged: 90,
  },
  assetClass: {
    native: 0,
    fiat_stable: 5,
    wrapped_btc: 15,
    cdp_stable: 20,
    lst: 20,
    synthetic_stable: 50,
    lrt: 50,
  },
  oracle: {
    none: 0,
    none_needed: 0,
    chainlink: 0,
    chronicle: 10,
    pyth: 30,
    redstone: 30,
    rate: 30,
    custom: 80,
  },
} as const;

const hours = 3_600;
const timelockLadder: readonly (readonly [number, number])[] = [
  [168 * hours, 10],
  [72 * hours, 15],
  [48 * hours, 20],
  [24 * hours, 40],
  [6 * hours, 60],
];
const auditScores = [100, 50, 35, 20, 0];

/** A lower bound that no good factor can outweigh. */
export interface RiskFloor {
  readonly min: number;
  readonly reason: string;
}

export interface RiskAssessment extends Risk {
  readonly tier: Tier;
  /** Null: unknown, counted with its prior. */
  readonly factors: Readonly<Record<RiskFactor, number | null>>;
  /** Percent of the weight that is known. */
  readonly coverage: number;
  /** The weighted sum, before floors. */
  readonly base: number;
  readonly floors: readonly RiskFloor[];
}

/** Judge the risk of a vault: 0 is safest, 100 riskiest. */
export function assessRisk(input: RiskInput): RiskAssessment {
  const factors = riskFactors(input);
  const names = Object.keys(riskWeights) as RiskFactor[];
  const base = names.reduce(
    (sum, name) => sum + (riskWeights[name] * (factors[name] ?? unknownPriors[name])) / 100,
    0,
  );
  const coverage = coverageOf(factors, input);
  const floors = riskFloors(input, coverage);
  const score = round(Math.max(base, ...floors.map(({ min }) => min)), 1);
  return {
    score,
    level: levelOf(score),
    rating: ratingOf(score),
    tier: tierOf(score),
    factors,
    coverage,
    base,
    floors,
  };
}

/** `isAsync` alone must not raise the coverage: it does not say how much the vault can pay out. */
function coverageOf(factors: Readonly<Record<RiskFactor, number | null>>, { liquidity }: RiskInput): number {
  const known = (Object.keys(factors) as RiskFactor[]).filter(
    (name) => factors[name] !== null && (name !== 'liquidity' || isKnown(liquidity)),
  );
  return known.reduce((sum, name) => sum + riskWeights[name], 0);
}

function riskFactors(input: RiskInput): Record<RiskFactor, number | null> {
  const { audits, ageDays, tvlUsd, top1Share, maxDrawdown90d, volAnnual, liquidity } = input;
  const scaled = (value: number | undefined, score: (known: number) => number) =>
    isKnown(value) ? 100 * clamp(score(value), 0, 1) : null;
  const exit = scaled(liquidity, (share) => (0.3 - share) / 0.3);
  return {
    admin: adminFactor(input),
    audit: isKnown(audits) ? auditScores[clamp(Math.floor(audits), 0, auditScores.length - 1)]! : null,
    curator: wordFactor(riskWords.curator, input.curator),
    complexity: wordFactor(riskWords.strategy, input.strategy),
    age: scaled(ageDays, (days) => Math.exp(-days / 365)),
    tvl: scaled(tvlUsd, (usd) => (8 - Math.log10(Math.max(usd, 1))) / 3),
    concentration: scaled(top1Share, (share) => (share - 0.1) / 0.65),
    drawdown: scaled(maxDrawdown90d, (fall) => fall / 0.02),
    volatility: scaled(volAnnual, (deviation) => deviation / 0.05),
    apyAnomaly: scaled(apyRatio(input), (ratio) => (ratio - 1.5) / 3.5),
    liquidity: input.isAsync ? Math.max(80, exit ?? 0) : exit,
    asset: wordFactor(riskWords.assetClass, input.assetClass),
    oracle: wordFactor(riskWords.oracle, input.oracle),
  };
}

function adminFactor({ admin, timelock = 0 }: RiskInput): number | null {
  if (admin === undefined) return null;
  if (admin === 'immutable') return 0;
  const step = timelockLadder.find(([seconds]) => timelock >= seconds);
  if (step) return step[1];
  if (admin === 'multisig') return 75;
  return admin === 'eoa' ? 95 : 80;
}

const wordFactor = (words: Readonly<Record<string, number>>, word: string | undefined): number | null =>
  word === undefined || !Object.hasOwn(words, word) ? null : (words[word] ?? null);

/** Infinity counts as known: it is the extreme value. */
const isKnown = (value: number | undefined): value is number => value !== undefined && !Number.isNaN(value);

/** Percent; several times an APY near zero is no anomaly. */
const minBenchmarkApy = 0.5;

/** How many times the benchmark a vault pays now; undefined when either is unknown. */
export function apyRatio({ apyNow, benchmarkApy }: RiskInput): number | undefined {
  if (apyNow === undefined || benchmarkApy === undefined) return undefined;
  return apyNow / Math.max(benchmarkApy, minBenchmarkApy);
}

function riskFloors(input: RiskInput, coverage: number): RiskFloor[] {
  const { audits, ageDays, tvlUsd, loss30d = 0, depeg = 0, daysSinceIncident = Infinity } = input;
  const floors: RiskFloor[] = [];
  const floor = (applies: boolean, min: number, reason: string) => {
    if (applies) floors.push({ min, reason });
    return applies;
  };
  floor(coverage < 50, 30, 'coverage<50%');
  floor(coverage < 30, 55, 'coverage<30%');
  floor(audits === 0, 55, 'no-audit');
  floor(input.admin === 'eoa' && (input.timelock ?? 0) <= 0, 55, 'eoa-admin-no-timelock');
  if (!floor(daysSinceIncident < 30, 85, 'incident<30d')) floor(daysSinceIncident < 90, 55, 'incident<90d');
  if (ageDays !== undefined && !floor(ageDays < 14, 55, 'age<14d')) floor(ageDays < 30, 46, 'age<30d');
  if (tvlUsd !== undefined && !floor(tvlUsd < 100_000, 55, 'tvl<100k')) floor(tvlUsd < 1e6, 30, 'tvl<1m');
  if (!floor(loss30d > 0.05, 85, 'loss30d>5%')) floor(loss30d > 0.01, 55, 'loss30d>1%');
  if (!floor(depeg > 0.05, 85, 'depeg>5%')) floor(depeg > 0.02, 55, 'depeg>2%');
  floor(input.hasJump7d === true, 46, 'jump7d');
  floor((apyRatio(input) ?? 0) > 3, 55, 'apy>3x-benchmark');
  return floors;
}

const levelOf = (score: number): RiskLevel => (score < 30 ? 'low' : score < 55 ? 'medium' : 'high');

const tierOf = (score: number): Tier => (score < 20 ? 'prime' : score < 55 ? 'core' : 'edge');

const ratingLimits: readonly (readonly [number, RiskRating])[] = [
  [10, 'A+'],
  [20, 'A'],
  [30, 'A-'],
  [38, 'B+'],
  [46, 'B'],
  [55, 'B-'],
  [70, 'C'],
  [85, 'D'],
];

const ratingOf = (score: number): RiskRating => ratingLimits.find(([limit]) => score < limit)?.[1] ?? 'F';
