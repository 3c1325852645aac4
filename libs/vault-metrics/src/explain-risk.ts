import type { RiskFactorExplanation } from '@yield-vault/protocol';
import {
  apyRatio,
  lowestExit,
  type RiskAssessment,
  type RiskFactor,
  type RiskInput,
  riskWeights,
  worstValue,
} from './risk.js';

/** Explain the input of each factor and its contribution to the score. Shares and returns are fractions. */
export function explainFactors(input: RiskInput, { factors }: RiskAssessment): RiskFactorExplanation[] {
  const inputs = inputsOf(input);
  return (Object.keys(riskWeights) as RiskFactor[]).map((factor) => {
    const known = factors[factor];
    const value = known ?? worstValue;
    return {
      factor,
      weight: riskWeights[factor],
      input: known === null ? null : (inputs[factor] ?? null),
      value,
      isKnown: known !== null,
      contribution: (riskWeights[factor] * value) / 100,
    };
  });
}

const inputsOf = (input: RiskInput): Readonly<Record<RiskFactor, string | number | undefined>> => ({
  admin: adminText(input),
  audit: input.audits,
  curator: input.curator,
  complexity: input.strategy,
  age: input.ageDays,
  tvl: input.tvlUsd,
  concentration: input.top1Share,
  drawdown: input.maxDrawdown90d,
  volatility: input.volAnnual,
  apyAnomaly: apyRatio(input),
  liquidity: input.isAsync === false ? lowestExit(input) : `async, ${lowestExit(input)}`,
  asset: input.assetClass,
  oracle: input.oracle,
});

function adminText({ admin, safeThreshold, timelock }: RiskInput): string {
  const threshold = admin === 'multisig' && safeThreshold ? `, threshold of ${safeThreshold}` : '';
  return `${admin}${threshold}${timelock ? `, timelock of ${timelock} s` : ''}`;
}
