const blockShift = 6;

/** Part of a ranking, best first, with what a search for a least APY needs. */
export interface RankedList {
  /** Places in the ranking of all assets. */
  readonly places: readonly number[];
  /** `apy.now` of the vaults there. */
  readonly apys: readonly number[];
  /** The largest of each block of 64 of them. */
  readonly blockMaxima: readonly number[];
}

/** A list that grows while a ranking is built. */
export interface RankedListBuilder extends RankedList {
  add(place: number, apyNow: number): void;
}

/** Begin a list; places are added best first. */
export function buildRankedList(): RankedListBuilder {
  const places: number[] = [];
  const apys: number[] = [];
  const blockMaxima: number[] = [];
  return {
    places,
    apys,
    blockMaxima,
    add: (place, apyNow) => {
      const block = places.length >> blockShift;
      if ((blockMaxima[block] ?? -Infinity) < apyNow) blockMaxima[block] = apyNow;
      places.push(place);
      apys.push(apyNow);
    },
  };
}

/** Take the best places that pay at least an APY; blocks that pay less are skipped whole. */
export function takeBest(
  { places, apys, blockMaxima }: RankedList,
  limit: number,
  minApy: number | undefined,
): number[] {
  if (minApy === undefined) return places.slice(0, limit);
  const taken: number[] = [];
  for (let block = 0; block < blockMaxima.length; block++) {
    if (blockMaxima[block]! < minApy) continue;
    const end = Math.min((block + 1) << blockShift, places.length);
    for (let index = block << blockShift; index < end; index++) {
      if (apys[index]! < minApy) continue;
      taken.push(places[index]!);
      if (taken.length === limit) return taken;
    }
  }
  return taken;
}
