/** Queries of agents. Each connection sends them in turn. */
export const queries = [
  {},
  { asset: 'USDC' },
  { riskTolerance: 'low', strategy: 'minimize_risk' },
  { asset: 'weth', strategy: 'maximize_apy', limit: 10 },
  // Few vaults pay as much, and none of them is near the top.
  { minApy: 18, strategy: 'minimize_risk' },
  { limit: 20 },
] as const;

export const discoverPath = '/v1/yield/discover';

/** Where the bare handler has the prepared response of a query. */
export const barePath = (query: number): string => `/bench/bare/${query}`;
