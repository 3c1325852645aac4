import type { RiskLevel, RiskRating, Tier } from '@yield-vault/protocol';

export const levelOf = (score: number): RiskLevel => (score < 30 ? 'low' : score < 55 ? 'medium' : 'high');

export const tierOf = (score: number): Tier => (score < 20 ? 'prime' : score < 55 ? 'core' : 'edge');

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

export const ratingOf = (score: number): RiskRating =>
  ratingLimits.find(([limit]) => score < limit)?.[1] ?? 'F';
