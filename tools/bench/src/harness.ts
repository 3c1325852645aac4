/** A benchmark of the command line. */
export interface Benchmark<Options extends Figures = Figures> {
  readonly description: string;
  /** Options of the command line, with their defaults. */
  readonly options: Options;
  /** Start what is measured, and measure it beside its ceiling. */
  run(options: Options, defer: Defer): Promise<Table>;
}

/** Registers what has to stop at the end, the last one first. */
export type Defer = (stop: () => Promise<unknown>) => void;

/** Cells by row and column. Of several numbers, the median is printed. */
export type Table = Record<string, Row>;
export type Row = Readonly<Record<string, string | number | readonly number[]>>;

type Figures = Readonly<Record<string, number>>;
type Series<Variants> = {
  readonly [Name in keyof Variants]: Variants[Name] extends () => Promise<infer Round>
    ? { readonly [Figure in keyof Round]: readonly number[] }
    : never;
};

/** Declare a benchmark. Its options have the names of their defaults. */
export const benchmark = <Name extends string>(definition: Benchmark<Readonly<Record<Name, number>>>) =>
  definition as Benchmark;

/** Run a benchmark, stop everything that it started, and round its numbers for print. */
export async function runBenchmark(benchmark: Benchmark, options: Figures) {
  const stops: Parameters<Defer>[0][] = [];
  try {
    const table = await benchmark.run(options, (stop) => stops.push(stop));
    return mapValues(table, (row) =>
      mapValues(row, (cell) => {
        const value = typeof cell === 'object' ? median(cell) : cell;
        return typeof value === 'number' ? Number(value.toFixed(value < 10 ? 2 : 1)) : value;
      }),
    );
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/**
 * Measure variants round by round. They take turns, so that noise of the machine meets all of them.
 *
 * @param warmUps - rounds before the others, for the compilers
 * @returns each figure of each variant, one number a round
 */
export async function measure<Variants extends Record<string, () => Promise<Figures>>>(
  variants: Variants,
  { rounds, warmUps = 1 }: { readonly rounds: number; readonly warmUps?: number },
): Promise<Series<Variants>> {
  const series: Record<string, Record<string, number[]>> = mapValues(variants, () => ({}));
  const entries = Object.entries(variants);
  for (let round = -warmUps; round < rounds; round++)
    for (const [name, run] of round % 2 === 0 ? entries : entries.toReversed())
      for (const [figure, value] of Object.entries(await run()))
        if (round >= 0) (series[name]![figure] ??= []).push(value);
  return series as Series<Variants>;
}

/** Time a piece of work. */
export async function timed(work: () => Promise<unknown>) {
  const start = performance.now();
  await work();
  return { ms: performance.now() - start };
}

export function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}

/** The value below which a share of the values lies; between two of them in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low = NaN, high = low] = sorted.slice(Math.floor(place));
  return low + (high - low) * (place % 1);
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** Median of the ratios to a ceiling, round by round. */
export const ratio = (values: readonly number[], ceiling: readonly number[]) =>
  median(values.map((value, round) => value / ceiling[round]!));

/** Cells of a goal. */
export const goal = (text: string, isMet: boolean) => ({ goal: text, result: isMet ? 'met' : 'MISSED' });

export const atMost = (limit: number, values: number | readonly number[]) =>
  goal(`<= ${limit.toFixed(1)}`, median([values].flat()) <= limit);
