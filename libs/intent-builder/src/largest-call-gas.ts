import { chainedReadsGas } from './steps/read-chained.js';

const readsOfRebalance = 14;

/** Gas of the largest `eth_call` that prepare makes, that of a rebalance; the node of a chain has to allow it. */
export const largestCallGas = chainedReadsGas(readsOfRebalance);
