/** What the chain asks of a transaction now, in wei per gas. */
export interface AskedFees {
  /** The last one, to which they belong. */
  readonly block: bigint;
  readonly baseFee: bigint;
  readonly tip: bigint;
}

/** What a transaction offers, in wei per gas. */
export interface OfferedFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * Offer what is asked, and room for a base fee twice as high: what is not needed is not paid.
 *
 * @param limit - above which nothing is offered
 * @param replaced - what a transaction with the same nonce offers
 */
export function offerFees(asked: AskedFees, limit?: bigint, replaced?: OfferedFees): OfferedFees {
  const wanted = larger(roomy(asked), raised(replaced?.maxFeePerGas));
  const maxFeePerGas = limit === undefined || wanted < limit ? wanted : limit;
  const tip = larger(asked.tip, raised(replaced?.maxPriorityFeePerGas));
  return { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas };
}

/** Assume the most of a stuck transaction that nobody remembers: as it is stuck, it offers less than what is asked. */
export function assumeFees(asked: AskedFees): OfferedFees {
  return { maxFeePerGas: roomy(asked), maxPriorityFeePerGas: roomy(asked) };
}

/** Tell whether the tip that is left beside the base fee is the one that is asked. */
export function isEnough({ maxFeePerGas, maxPriorityFeePerGas }: OfferedFees, asked: AskedFees): boolean {
  return maxPriorityFeePerGas >= asked.tip && maxFeePerGas >= asked.baseFee + asked.tip;
}

const roomy = ({ baseFee, tip }: AskedFees) => 2n * baseFee + tip;

// Nodes take a replacement when it offers a tenth more than before of either; one wei has no tenth.
const raised = (fee?: bigint) => (fee === undefined ? 0n : fee + fee / 8n + 1n);

const larger = (one: bigint, other: bigint) => (one > other ? one : other);
