import type { Risk, Tier } from '@yield-vault/protocol';
import { adminFactor, type AdminInput, keysOf } from './admin-factor.js';
import { levelOf, ratingOf, tierOf } from './risk-rating.js';
import { clamp, round } from './statistics.js';

/** The inputs of the risk of a vault. An absent input is unknown and counts as its worst value. */
export interface RiskInput extends AdminInput {
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
  /** USD that holders could redeem at once. */
  readonly exitUsd?: number;
  /** Fraction of the assets that holders could redeem at once. */
  readonly exitFraction?: number;
  /** The lowest decile of that fraction in 30 days. */
  readonly exitFractionP10?: number;
  /** What shows the exit: `idle` assets alone do not show that redeems pay them. */
  readonly exitMethod?: string;
  /** Deposits or redeems take more than one transaction. */
  readonly isAsync?: boolean;
  readonly assetClass?: string;
  readonly oracle?: string;
  /** Fraction lost within 30 days. */
  readonly loss30d?: number;
  /** Distance of the asset's price from its dollar peg, as a fraction; 0 for an asset without such a peg. */
  readonly depeg?: number;
  readonly hasJump7d?: boolean;
  /** Absent means that no incident is on record. Nobody can know that there was none, so it is not an unknown. */
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

/** The value of an unknown factor: ignorance never improves a score. */
export const worstValue = 100;

/** Words of the registry with their values. */
export const riskWords = {
  curator: { none_needed: 0, guarded: 0, known_guarded: 0, known: 30 },
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

const auditScores = [100, 50, 35, 20, 0];

/** A lower bound that no good factor can outweigh. */
export interface RiskFloor {
  readonly min: number;
  readonly reason: string;
}

export interface RiskAssessment extends Risk {
  readonly tier: Tier;
  /** Null: unknown, counted as 100. */
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
  const sum = (valueOf: (name: RiskFactor) => number) =>
    names.reduce((total, name) => total + riskWeights[name] * valueOf(name), 0);
  const base = sum((name) => factors[name] ?? worstValue) / 100;
  const coverage = sum((name) => Number(factors[name] !== null));
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

function riskFactors(input: RiskInput): Record<RiskFactor, number | null> {
  const { audits, ageDays, tvlUsd, top1Share, maxDrawdown90d, volAnnual } = input;
  const scaled = (value: number | undefined, score: (known: number) => number) =>
    isKnown(value) ? 100 * clamp(score(value), 0, 1) : null;
  const exit = scaled(lowestExit(input), (share) => (0.3 - share) / 0.3);
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
    liquidity: exit === null || input.isAsync === false ? exit : Math.max(80, exit),
    asset: wordFactor(riskWords.assetClass, input.assetClass),
    oracle: wordFactor(riskWords.oracle, input.oracle),
  };
}

const wordFactor = (words: Readonly<Record<string, number>>, word: string | undefined): number | null =>
  word === undefined || !Object.hasOwn(words, word) ? null : (words[word] ?? null);

/** The lower one of the exit now and its lowest decile; undefined unless both are known. */
export const lowestExit = ({ exitFraction = NaN, exitFractionP10 = NaN }: RiskInput): number | undefined => {
  const lowest = Math.min(exitFraction, exitFractionP10);
  return isKnown(lowest) ? lowest : undefined;
};

/** Infinity counts as known: it is the extreme value. */
const isKnown = (value: number | undefined): value is number => value !== undefined && !Number.isNaN(value);

/** Percent; several times an APY near zero is no anomaly. */
const minBenchmarkApy = 0.5;

/** How many times the benchmark a vault pays now; undefined when either is unknown. */
export function apyRatio({ apyNow, benchmarkApy }: RiskInput): number | undefined {
  if (apyNow === undefined || benchmarkApy === undefined) return undefined;
  return apyNow / Math.max(benchmarkApy, minBenchmarkApy);
}

/** A floor with its reason, and whether it applies to a value. */
type FloorStep = readonly [min: number, reason: string, applies: (value: number) => boolean];

function riskFloors(input: RiskInput, coverage: number): RiskFloor[] {
  const { admin, exitUsd, exitFraction, hasJump7d, daysSinceIncident = Infinity } = input;
  const floors: RiskFloor[] = [];
  /** Add the first step that applies. The first step is the worst one, so an unknown value has its minimum. */
  const add = (name: string, value: number | undefined, ...steps: readonly [FloorStep, ...FloorStep[]]) => {
    const unknown = [steps[0][0], `${name}-unknown`] as const;
    const floor = isKnown(value) ? steps.find(([, , applies]) => applies(value)) : unknown;
    if (floor) floors.push({ min: floor[0], reason: floor[1] });
  };
  add('coverage', coverage, [46, 'coverage<40%', (x) => x < 40], [30, 'coverage<60%', (x) => x < 60]);
  add('audit', input.audits, [55, 'no-audit', (x) => x < 1]);
  add(admin === 'multisig' ? 'safe-threshold' : 'admin', keysOf(input), [
    55,
    'single-key-no-timelock',
    (x) => x < 2,
  ]);
  add(
    'incident',
    daysSinceIncident,
    [85, 'incident<30d', (x) => x < 30],
    [55, 'incident<90d', (x) => x < 90],
  );
  add('age', input.ageDays, [55, 'age<14d', (x) => x < 14], [46, 'age<30d', (x) => x < 30]);
  add('tvl', input.tvlUsd, [55, 'tvl<100k', (x) => x < 100_000], [30, 'tvl<1m', (x) => x < 1e6]);
  add(
    'exit',
    isKnown(exitUsd) ? exitFraction : undefined,
    [85, 'exit<10k', () => exitUsd! < 10_000],
    [85, 'exit<0.5%', (x) => x < 0.005],
    [55, 'exit<2%', (x) => x < 0.02],
    [46, 'exit-not-simulated', () => input.exitMethod !== 'simulated' && input.exitMethod !== 'protocol'],
  );
  add('loss30d', input.loss30d, [85, 'loss30d>5%', (x) => x > 0.05], [55, 'loss30d>1%', (x) => x > 0.01]);
  add('depeg', input.depeg, [85, 'depeg>5%', (x) => x > 0.05], [55, 'depeg>2%', (x) => x > 0.02]);
  add('jump7d', hasJump7d === undefined ? hasJump7d : Number(hasJump7d), [46, 'jump7d', (x) => x > 0]);
  add('apy', apyRatio(input), [55, 'apy>3x-benchmark', (x) => x > 3]);
  return floors;
}
