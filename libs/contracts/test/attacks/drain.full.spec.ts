import { describeDrain } from '../support/describe-drain.js';

// Anvil works for half a minute on 200 operations.
jest.setTimeout(240_000);

const runs = [
  ...['0.001', '0.05', '1', '10', '100'].map((baseFee) => [20, baseFee] as const),
  ...['0.001', '100'].map((baseFee) => [200, baseFee] as const),
];

describeDrain(8453, runs.slice(5));
describeDrain(1, runs);
