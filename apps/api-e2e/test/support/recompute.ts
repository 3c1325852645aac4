import type { Apy, Strategy, VaultReport } from '@yield-vault/protocol';

/**
 * What a reader does with docs/metrics.md in one hand and the response of the explain endpoint in the other. Nothing
 * here comes from the service: the tables are written off the page a second time.
 */
const clamp = (x: number) => Math.min(1, Math.max(0, x));
const dayMs = 86_400_000;

const timelockPoints = [
  [7 * 24, 10],
  [3 * 24, 15],
  [2 * 24, 20],
  [24, 40],
  [6, 60],
] as const;
const wordPoints: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  curator: { none_needed: 0, known_guarded: 0, known: 30 },
  complexity: { savings: 0, lending: 0, isolated: 10, multi_market: 30, aggregator: 60, leveraged: 90 },
  asset: {
    native: 0,
    fiat_stable: 5,
    wrapped_btc: 15,
    cdp_stable: 20,
    lst: 20,
    synthetic_stable: 50,
    lrt: 50,
  },
  oracle: { none_needed: 0, chainlink: 0, chronicle: 10, pyth: 30, redstone: 30, rate: 30, custom: 80 },
};
const numberPoints: Readonly<Record<string, (input: number) => number>> = {
  audit: (audits) => [100, 50, 35, 20][audits] ?? 0,
  age: (days) => 100 * Math.exp(-days / 365),
  tvl: (usd) => 100 * clamp((8 - Math.log10(usd)) / 3),
  concentration: (share) => 100 * clamp((share - 0.1) / 0.65),
  drawdown: (fall) => 100 * clamp(fall / 0.02),
  volatility: (deviation) => 100 * clamp(deviation / 0.05),
  apyAnomaly: (ratio) => 100 * clamp((ratio - 1.5) / 3.5),
  liquidity: (share) => 100 * clamp((0.3 - share) / 0.3),
};
const weights: Readonly<Record<string, number>> = {
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
};

/** A risk as it follows from the inputs. */
export interface RecomputedRisk {
  /** Not rounded. */
  readonly score: number;
  readonly coverage: number;
  readonly values: Readonly<Record<string, number>>;
  readonly level: string;
  readonly rating: string;
  readonly tier: string;
}

/** Compute the risk from the inputs of its factors. It knows no floor of incidents: the response has no date of one. */
export function recomputeRisk(report: VaultReport): RecomputedRisk {
  const inputs = new Map(report.explanation.risk.factors.map(({ factor, input }) => [factor, input]));
  const values: Record<string, number> = {};
  let base = 0;
  let coverage = 0;
  for (const [name, weight] of Object.entries(weights)) {
    const input = inputs.get(name);
    const points = input === null || input === undefined ? undefined : pointsOf(name, input);
    values[name] = points ?? 100;
    base += (weight * values[name]) / 100;
    if (points !== undefined) coverage += weight;
  }
  const score = Math.max(base, ...floorsOf(report, inputs, coverage));
  const rounded = Math.round(score * 10) / 10;
  const rating = ['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C', 'D', 'F'][
    [10, 20, 30, 38, 46, 55, 70, 85].filter((limit) => rounded >= limit).length
  ]!;
  const level = rounded < 30 ? 'low' : rounded < 55 ? 'medium' : 'high';
  const tier = rounded < 20 ? 'prime' : rounded < 55 ? 'core' : 'edge';
  return { score, coverage, values, level, rating, tier };
}

function pointsOf(name: string, input: string | number): number | undefined {
  if (name === 'admin') return adminPointsOf(String(input));
  if (name === 'liquidity' && typeof input === 'string')
    return Math.max(80, numberPoints['liquidity']!(Number(input.replace('async, ', ''))));
  return typeof input === 'number' ? numberPoints[name]!(input) : wordPoints[name]?.[input];
}

function adminPointsOf(input: string): number {
  const admin = input.split(',')[0]!;
  if (admin === 'immutable') return 0;
  const timelock = timelockPointsOf(input);
  if (timelock !== undefined) return timelock;
  const signatures = thresholdOf(input);
  return signatures >= 3 ? (admin === 'multisig' ? 75 : 80) : signatures === 2 ? 85 : 95;
}

function timelockPointsOf(input: string): number | undefined {
  const hours = Number(/timelock of (\d+) s/.exec(input)?.[1] ?? 0) / 3_600;
  return timelockPoints.find(([least]) => hours >= least)?.[1];
}

/** Signatures that a change needs; more than three where neither an EOA nor a multisig is the admin. */
function thresholdOf(input: string): number {
  if (input.startsWith('eoa')) return 1;
  return input.startsWith('multisig') ? Number(/threshold of (\d+)/.exec(input)?.[1] ?? 1) : 9;
}

type Inputs = ReadonlyMap<string, string | number | null>;

/** An unknown input has the floor of its worst value. */
function floorsOf(
  { explanation, data, exit, asset }: VaultReport,
  inputs: Inputs,
  coverage: number,
): number[] {
  const number = (name: string) => {
    const input = inputs.get(name);
    return typeof input === 'number' ? input : undefined;
  };
  const [days = 0, usd = 0, ratio = Infinity] = [number('age'), number('tvl'), number('apyAnomaly')];
  const loss = data.latestSnapshotAt === null ? 1 : (number('drawdown') ?? 0);
  const { priceUsd, priceSource } = explanation.tvl;
  const isStated = ['feed', 'external', 'lastGood'].includes(priceSource);
  const isPegged = asset.symbol === 'USDC' || inputs.get('asset') === null;
  const isPriced = isStated && inputs.get('asset') !== null;
  const depeg = !isPegged ? 0 : isPriced ? Math.abs(priceUsd - 1) : 1;
  const { instantUsd, instantPercent } = exit;
  const leaves = (usd: number, percent: number) =>
    (instantUsd ?? 0) >= usd && (instantPercent ?? 0) >= percent;
  const since = Date.parse(data.latestSnapshotAt ?? '') - 7 * dayMs;
  const admin = String(inputs.get('admin') ?? 'eoa');
  return [
    coverage < 40 ? 46 : coverage < 60 ? 30 : 0,
    (number('audit') ?? 0) === 0 ? 55 : 0,
    timelockPointsOf(admin) === undefined && thresholdOf(admin) < 2 ? 55 : 0,
    leaves(10_000, 2) ? 0 : leaves(10_000, 0.5) ? 55 : 85,
    days < 14 ? 55 : days < 30 ? 46 : 0,
    usd < 100_000 ? 55 : usd < 1_000_000 ? 30 : 0,
    loss > 0.05 ? 85 : loss > 0.01 ? 55 : 0,
    depeg > 0.05 ? 85 : depeg > 0.02 ? 55 : 0,
    data.latestSnapshotAt === null ||
    explanation.jumps.some(({ timestamp }) => Date.parse(timestamp) >= since)
      ? 46
      : 0,
    ratio > 3 ? 55 : 0,
  ];
}

/** Compute an APY from the two share prices that it is said to come from; percent. */
export function recomputeApy({ from, to }: VaultReport['explanation']['apy'][keyof Apy]): number | null {
  if (!from || !to) return null;
  const seconds = (Date.parse(to.timestamp) - Date.parse(from.timestamp)) / 1_000;
  const percent = ((to.sharePrice / from.sharePrice) ** (31_536_000 / seconds) - 1) * 100;
  return Math.min(1_000, Math.max(-99.99, percent));
}

/** The three APYs that are served, before rounding: each window's own, or the one that stands in. */
function servedApys({ explanation }: VaultReport): Record<keyof Apy, number> {
  const served = (name: keyof Apy) => {
    const { servedBy } = explanation.apy[name];
    return servedBy === null ? 0 : (explanation.apy[servedBy].value ?? 0);
  };
  return { now: served('now'), week: served('week'), month: served('month') };
}

const strategyShares: Readonly<Record<Strategy, readonly number[]>> = {
  maximize_apy: [0.6, 0.15, 0.1, 0.1, 0.05],
  balanced: [0.35, 0.3, 0.15, 0.1, 0.1],
  minimize_risk: [0.1, 0.55, 0.1, 0.15, 0.1],
};

/** Compute the score of a strategy from APYs, risk, Sharpe ratios, TVL and the length of the history. */
export function recomputeComposite(report: VaultReport, strategy: Strategy): number {
  const apy = servedApys(report);
  const winsorised = (percent: number) => Math.min(30, Math.max(0, percent));
  const blend = 0.2 * winsorised(apy.now) + 0.5 * winsorised(apy.week) + 0.3 * winsorised(apy.month);
  const sharpe = 0.4 * report.sharpe.week + 0.6 * report.sharpe.month;
  const { totalAssets, priceUsd } = report.explanation.tvl;
  const usd = (Number(totalAssets) / 10 ** report.asset.decimals) * priceUsd;
  const [least, most] = [Math.min(...Object.values(apy)), Math.max(...Object.values(apy))];
  const features = [
    100 * (1 - Math.exp(-blend / 8)),
    100 - report.risk.score,
    50 + 5 * Math.min(10, Math.max(-10, sharpe)),
    usd > 0 ? 100 * clamp((Math.log10(usd) - 5) / 4) : 0,
    least > 0 ? (100 * least) / most : 0,
  ];
  const { firstSnapshotAt, latestSnapshotAt } = report.data;
  const days = (Date.parse(latestSnapshotAt ?? '') - Date.parse(firstSnapshotAt ?? '')) / dayMs;
  const quality = days >= 30 ? 1 : days >= 7 ? 0.9 : 0.75;
  const shares = [...strategyShares[strategy]];
  const { method } = report.exit;
  if (features[2]! > features[1]! && (method !== 'simulated' || !report.exit.accrues)) {
    const moved = shares[2]! * (method === 'unknown' ? 1 : 0.5);
    shares[1]! += moved;
    shares[2]! -= moved;
  }
  return quality * features.reduce((sum, feature, index) => sum + feature * shares[index]!, 0);
}
