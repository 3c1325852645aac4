import { type Address, type Hex, keccak256, numberToHex } from 'viem';
import type { Read } from '../chain/read-contracts.js';
import { addressOf, type GroupReader, toAddress, toRead, wordsOf } from './group-reader.js';

/** What a vault lends to one market of Morpho. Amounts are base units of the vault's asset. */
export interface Position {
  readonly marketId: Hex;
  /** The vault's part of the supply. */
  readonly assets: bigint;
  readonly supply: bigint;
  readonly borrow: bigint;
  /** Zero where the market only holds assets; so is the oracle. */
  readonly collateral: Address;
  readonly oracle: Address;
  /** Fraction with 18 decimals. */
  readonly lltv: bigint;
  /** Whether a redeem takes assets from this market. */
  readonly isExit: boolean;
}

/** The markets of a Morpho vault. */
export interface LookThrough {
  readonly version: 1 | 2;
  readonly totalAssets: bigint;
  readonly positions: readonly Position[];
  /** False where an adapter is unknown. */
  readonly isComplete: boolean;
}

/** MetaMorpho and its successor allow 30; a contract that names more is not read. */
const mostMembers = 30n;
const wad = 10n ** 18n;
/** Percent; a market that is lent out to this or more cannot be left. */
const fullUtilisation = 98n;

/** An account that supplies to Morpho, wholly or partly for a vault. */
interface Source {
  /** Place in the request. */
  readonly vault: number;
  readonly account: Address;
  /** The vault's part of the account's assets, with 18 decimals. */
  readonly part: bigint;
  readonly isExit: (marketId: Hex) => boolean;
}

/** Read the markets of Morpho vaults, version 1 and 2; undefined for other contracts. */
export async function readMarkets(
  read: GroupReader,
  vaults: readonly Address[],
): Promise<readonly (LookThrough | undefined)[]> {
  const own = await read(
    vaults.map((vault) =>
      [
        'withdrawQueueLength()',
        'adaptersLength()',
        'totalAssets()',
        'liquidityAdapter()',
        'liquidityData()',
      ].map((signature) => toRead(vault, signature)),
    ),
  );
  const lists = await read(
    vaults.map((vault, index) => membersOf(vault, 'adapters(uint256)', own[index]![1])),
  );
  const adapters = lists.flatMap((list, vault) => list.map((data) => ({ vault, account: addressOf(data) })));
  const ofAdapters = await read(
    adapters.map(({ account }) =>
      account ? [toRead(account, 'morphoVaultV1()'), toRead(account, 'realAssets()')] : [],
    ),
  );
  const inner = ofAdapters.map(([vault]) => addressOf(vault));
  const totals = await read(inner.map((vault) => (vault ? [toRead(vault, 'totalAssets()')] : [])));

  const sources = [
    ...vaults.flatMap((account, vault): Source[] =>
      wordsOf(own[vault]![0])[0] === undefined ? [] : [{ vault, account, part: wad, isExit: () => true }],
    ),
    ...adapters.flatMap(({ vault, account }, index): Source[] => {
      if (!account) return [];
      const isUsed = addressOf(own[vault]![3]) === account;
      const through = inner[index];
      if (!through) {
        const exit = idOfParameters(own[vault]![4]);
        return [{ vault, account, part: wad, isExit: (marketId) => isUsed && marketId === exit }];
      }
      const [held, total] = [ofAdapters[index]![1], totals[index]![0]].map((data) => wordsOf(data)[0] ?? 0n);
      const part = total! > 0n ? (held! * wad) / total! : 0n;
      return [{ vault, account: through, part: part < wad ? part : wad, isExit: () => isUsed }];
    }),
  ];
  const positions = await readPositions(read, sources);
  return own.map(([queue, length, total], index) => {
    const version = wordsOf(queue)[0] !== undefined ? 1 : wordsOf(length)[0] !== undefined ? 2 : undefined;
    if (!version) return undefined;
    const members = sources.flatMap(({ vault }, place) => (vault === index ? [positions[place]] : []));
    return {
      version,
      totalAssets: wordsOf(total)[0] ?? 0n,
      positions: members.flatMap((each) => each ?? []),
      isComplete: members.every(Boolean) && (version === 1 || wordsOf(length)[0] === BigInt(members.length)),
    };
  });
}

/** The positions of each source; undefined where it does not say where it lends. */
async function readPositions(
  read: GroupReader,
  sources: readonly Source[],
): Promise<readonly (Position[] | undefined)[]> {
  const heads = await read(
    sources.map(({ account }) =>
      ['MORPHO()', 'morpho()', 'withdrawQueueLength()', 'marketIdsLength()'].map((signature) =>
        toRead(account, signature),
      ),
    ),
  );
  const ids = await read(
    sources.map(({ account }, index) => {
      const [, , queue, list] = heads[index]!;
      const ofQueue = membersOf(account, 'withdrawQueue(uint256)', queue);
      return ofQueue.length > 0 ? ofQueue : membersOf(account, 'marketIds(uint256)', list);
    }),
  );
  const places = ids.flatMap((found, source) => {
    const morpho = addressOf(heads[source]![0]) ?? addressOf(heads[source]![1]);
    return found.flatMap((data) => {
      const [word] = wordsOf(data);
      return morpho && word !== undefined
        ? [{ source, morpho, marketId: numberToHex(word, { size: 32 }) }]
        : [];
    });
  });
  const markets = await read(
    places.map(({ source, morpho, marketId }) => [
      toRead(morpho, 'market(bytes32)', marketId),
      toRead(morpho, 'idToMarketParams(bytes32)', marketId),
      toRead(morpho, 'position(bytes32,address)', marketId, sources[source]!.account),
    ]),
  );
  const found = places.map(({ source, marketId }, index) => {
    const { part, isExit } = sources[source]!;
    const [market, parameters, position] = markets[index]!.map(wordsOf);
    const [supply = 0n, supplyShares = 0n, borrow = 0n] = market!;
    const [shares = 0n] = position!;
    return {
      source,
      position: {
        marketId,
        // The virtual assets and shares of Morpho.
        assets: (((shares * (supply + 1n)) / (supplyShares + 1_000_000n)) * part) / wad,
        supply,
        borrow,
        collateral: toAddress(parameters![1]),
        oracle: toAddress(parameters![2]),
        lltv: parameters![4] ?? 0n,
        isExit: isExit(marketId),
      },
    };
  });
  return heads.map(([, , queue, list], index) => {
    if (!isCount(wordsOf(queue)[0] ?? wordsOf(list)[0])) return undefined;
    const own = found.flatMap(({ source, position }) => (source === index ? [position] : []));
    return own.every(isReadable) && own.length === ids[index]!.length ? own : undefined;
  });
}

const isReadable = <T extends { readonly collateral?: Address; readonly oracle?: Address }>(
  position: T,
): position is T & { readonly collateral: Address; readonly oracle: Address } =>
  position.collateral !== undefined && position.oracle !== undefined;

const isCount = (length: bigint | undefined): length is bigint =>
  length !== undefined && length <= mostMembers;

/** Reads of the members of a list; none where its length is unknown or too large. */
function membersOf(target: Address, signature: string, data: Hex | undefined): Read[] {
  const [length] = wordsOf(data);
  return Array.from({ length: isCount(length) ? Number(length) : 0 }, (_, index) =>
    toRead(target, signature, BigInt(index)),
  );
}

/** Id of the market whose parameters an allocator stored as bytes. */
function idOfParameters(data: Hex | undefined): Hex | undefined {
  const parameters = data?.slice(2 + 2 * 64, 2 + 7 * 64);
  return parameters?.length === 5 * 64 ? keccak256(`0x${parameters}`) : undefined;
}

/**
 * Assets that redeems can take out of the markets now, in base units. Assets in the vault itself come on top. A market
 * that is lent out to 98 % or more counts as closed.
 */
export function withdrawableOf({ positions, totalAssets }: LookThrough): bigint {
  const byMarket = new Map<Hex, { wanted: bigint; idle: bigint }>();
  for (const { marketId, assets, supply, borrow, isExit } of positions) {
    if (!isExit || borrow * 100n >= supply * fullUtilisation) continue;
    const wanted = (byMarket.get(marketId)?.wanted ?? 0n) + assets;
    byMarket.set(marketId, { wanted, idle: supply - borrow });
  }
  const sum = [...byMarket.values()].reduce(
    (total, { wanted, idle }) => total + (wanted < idle ? wanted : idle),
    0n,
  );
  return sum < totalAssets ? sum : totalAssets;
}
