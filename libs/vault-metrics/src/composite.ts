import type { Apy, CompositeExplanation, ExitMethod, Sharpe, Strategy } from '@yield-vault/protocol';
import { clamp } from './statistics.js';

type CompositeFeatures = CompositeExplanation['features'];

/** The weights of each strategy add up to 1. */
export const strategyWeights: Readonly<Record<Strategy, CompositeFeatures>> = {
  maximize_apy: { yield: 0.6, safety: 0.15, sharpe: 0.1, tvl: 0.1, stability: 0.05 },
  balanced: { yield: 0.35, safety: 0.3, sharpe: 0.15, tvl: 0.1, stability: 0.1 },
  minimize_risk: { yield: 0.1, safety: 0.55, sharpe: 0.1, tvl: 0.15, stability: 0.1 },
};

export interface CompositeInput {
  /** Percent. */
  readonly apy: Apy;
  /** 0 safest to 100. */
  readonly riskScore: number;
  readonly sharpe: Sharpe;
  readonly tvlUsd: number;
  readonly historyDays: number;
  /** How the exit was measured. */
  readonly exitMethod: ExitMethod;
  /** Whether the share price grows without a transaction, from assets that the vault holds; false when unknown. */
  readonly accrues: boolean;
}

/**
 * Score a vault for one strategy, from 0 to 100, and explain the score. The features are absolute, so a score does not
 * move when another vault appears.
 */
export function compositeScore(input: CompositeInput, strategy: Strategy): CompositeExplanation {
  const features = featuresOf(input);
  const weights = weightsOf(input, features, strategyWeights[strategy]);
  const quality = historyQuality(input.historyDays);
  const sum = (Object.keys(weights) as (keyof CompositeFeatures)[]).reduce(
    (total, feature) => total + weights[feature] * features[feature],
    0,
  );
  return { features, weights, quality, score: sum * quality };
}

/** Turn measurements into features, from 0 to 100 each. */
function featuresOf({ apy, riskScore, sharpe, tvlUsd }: CompositeInput): CompositeFeatures {
  const capped = (percent: number) => clamp(percent, 0, 30);
  const blend = 0.2 * capped(apy.now) + 0.5 * capped(apy.week) + 0.3 * capped(apy.month);
  const lowest = Math.min(apy.now, apy.week, apy.month);
  const highest = Math.max(apy.now, apy.week, apy.month);
  return {
    yield: 100 * (1 - Math.exp(-blend / 8)),
    safety: 100 - riskScore,
    sharpe: 50 + 5 * clamp(0.4 * sharpe.week + 0.6 * sharpe.month, -10, 10),
    tvl: 100 * clamp((Math.log10(Math.max(tvlUsd, 1)) - 5) / 4, 0, 1),
    stability: lowest <= 0 ? 0 : (100 * lowest) / highest,
  };
}

/**
 * Believe a high Sharpe ratio in full only where holders can leave at the price that it was measured by. A part of its
 * weight goes to safety otherwise, but never to the advantage of the score.
 */
function weightsOf(
  { exitMethod, accrues }: CompositeInput,
  { sharpe, safety }: CompositeFeatures,
  weights: CompositeFeatures,
): CompositeFeatures {
  if (sharpe <= safety) return weights;
  const kept = exitMethod === 'unknown' ? 0 : exitMethod === 'simulated' && accrues ? 1 : 0.5;
  return {
    ...weights,
    safety: weights.safety + (1 - kept) * weights.sharpe,
    sharpe: kept * weights.sharpe,
  };
}

/** The factor by which a short history lowers a score. */
function historyQuality(historyDays: number): number {
  if (historyDays >= 30) return 1;
  return historyDays >= 7 ? 0.9 : 0.75;
}
