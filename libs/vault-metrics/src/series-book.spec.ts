import fc from 'fast-check';
import { type BookedSample, createSeriesBook, type SeriesBook } from './series-book.js';

const vault = 1;
const hour = 3_600;
const day = 24 * hour;
const end = 1_795_000_000 - (1_795_000_000 % day);
const add = (book: SeriesBook, t: number, overrides: Partial<BookedSample> = {}) =>
  book.add(vault, { t, sharePrice: 1, tvlUsd: 25_000_000, origin: 0, ...overrides });
const timesOf = (book: SeriesBook) => [...book.columns(vault).t];

describe('createSeriesBook', () => {
  it('default: the samples of a vault as columns', () => {
    const book = createSeriesBook();
    add(book, end, { sharePrice: 1.05 });
    add(book, end + hour, { tvlUsd: NaN, origin: 1 });
    const { t, sharePrice, tvlUsd, origin } = book.columns(vault);
    expect([[...t], [...sharePrice], [...tvlUsd], [...origin]]).toEqual([
      [end, end + hour],
      [1.05, 1],
      [25_000_000, NaN],
      [0, 1],
    ]);
  });

  it('behavior: of the samples of an hour the newest is kept, one of the chain before one of a chart', () => {
    const book = createSeriesBook();
    add(book, end + 10, { sharePrice: 9 });
    add(book, end + 3_599);
    add(book, end + 20, { sharePrice: 2 });
    add(book, end + 3_599, { origin: 1, sharePrice: 3 });
    expect(timesOf(book)).toEqual([end + 3_599]);
    expect([...book.columns(vault).sharePrice]).toEqual([1]);
    const charted = createSeriesBook();
    add(charted, end + 3_000, { origin: 1, sharePrice: 3 });
    add(charted, end + 10);
    expect(timesOf(charted)).toEqual([end + 10]);
  });

  it('behavior: where days are kept, the last hour of a day stays', () => {
    const book = createSeriesBook();
    add(book, end);
    for (let index = 0; index < 24; index++) add(book, end - 40 * day + (23 - index) * hour);
    // Too old.
    add(book, end - 93 * day);
    expect(timesOf(book)).toEqual([end - 40 * day + 23 * hour, end]);
  });

  it('behavior: the order in which samples come does not matter', () => {
    const samples = Array.from({ length: 300 }, (_, index) => end - index * 1_900);
    const inOrder = createSeriesBook();
    for (const t of [...samples].reverse()) add(inOrder, t);
    fc.assert(
      fc.property(fc.shuffledSubarray(samples, { minLength: samples.length }), (shuffled) => {
        const book = createSeriesBook();
        for (const t of shuffled) add(book, t);
        expect(timesOf(book)).toEqual(timesOf(inOrder));
      }),
      { numRuns: 20 },
    );
  });

  it('behavior: every hour of 31 days, the last sample of each day up to 92, in at most 25 KB', () => {
    const book = createSeriesBook();
    for (let t = end - 200 * day; t <= end; t += hour) add(book, t);
    const times = timesOf(book);
    expect(times.filter((t) => t > end - 31 * day)).toHaveLength(31 * 24);
    const days = times.filter((t) => t < end - 36 * day && t >= end - 90 * day);
    expect(days).toEqual(Array.from({ length: 54 }, (_, index) => end - 90 * day + index * day + 23 * hour));
    const { t, sharePrice, tvlUsd, origin } = book.columns(vault);
    const bytes = [t, sharePrice, tvlUsd, origin].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    expect(bytes).toBeLessThanOrEqual(25 * 1_024);
  });

  it('behavior: stored samples and new ones are one series', () => {
    const stored = createSeriesBook();
    for (let t = end - 30 * day; t <= end; t += hour) add(stored, t);
    const book = createSeriesBook();
    add(book, end + hour);
    book.load(vault, stored.columns(vault));
    add(book, end + 2 * hour);
    expect(timesOf(book)).toEqual([...timesOf(stored), end + hour, end + 2 * hour]);
  });

  it('behavior: forgets', () => {
    const book = createSeriesBook();
    for (const t of [end, end + hour, end + 2 * hour]) add(book, t);
    book.forgetBefore(end + hour);
    expect(timesOf(book)).toEqual([end + hour, end + 2 * hour]);
    book.forgetBefore(end + hour + 1);
    expect(timesOf(book)).toEqual([end + 2 * hour]);
    book.drop(vault);
    expect(timesOf(book)).toEqual([]);
  });
});
