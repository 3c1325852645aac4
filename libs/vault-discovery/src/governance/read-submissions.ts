import { type Address, getAddress, type Hex, parseAbi, type PublicClient } from 'viem';
import { inParallel } from '../batching.js';
import { createBlockFinder, readHeader } from '../chain/block-finder.js';

/** The longest delay of Morpho's vaults is three weeks. */
const lookBackSeconds = 21 * 86_400;
/** Many providers allow no more. */
const blocksPerQuery = 10_000;
const concurrentQueries = 4;

const events = parseAbi([
  'event SubmitCap(address indexed caller, bytes32 indexed id, uint256 cap)',
  'event Submit(bytes4 indexed selector, bytes data, uint256 executableAt)',
]);

/**
 * Find what curators of Morpho vaults announced in three weeks: ids of markets (version 1), call data (version 2). No
 * function lists them. They may be applied or revoked meanwhile.
 *
 * @returns none where the node refuses the queries
 */
export async function readSubmissions(
  rpc: PublicClient,
  vaults: readonly Address[],
  block: bigint,
): Promise<ReadonlyMap<Address, readonly Hex[]>> {
  const found = new Map<Address, Hex[]>();
  if (vaults.length === 0) return found;
  try {
    const head = await readHeader(rpc, Number(block));
    const before = await createBlockFinder(rpc, head).lastBefore(head.t - lookBackSeconds);
    const first = (before?.number ?? -1) + 1;
    const starts = Array.from(
      { length: Math.ceil((head.number + 1 - first) / blocksPerQuery) },
      (_, index) => first + index * blocksPerQuery,
    );
    const logs = await inParallel(starts, concurrentQueries, (from) => {
      const toBlock = BigInt(Math.min(head.number, from + blocksPerQuery - 1));
      return rpc.getLogs({ address: [...vaults], events, fromBlock: BigInt(from), toBlock });
    });
    for (const { address, args } of logs.flat()) {
      const submitted = 'data' in args ? args.data : 'id' in args ? args.id : undefined;
      const vault = getAddress(address);
      if (submitted) found.set(vault, [...(found.get(vault) ?? []), submitted]);
    }
  } catch {
    // The other facts do not depend on it.
  }
  return found;
}
