import { buildSummaryRow } from '../../test/build-summary.js';
import { createMemoryReportStore } from '../../test/memory-report-store.js';
import { followReports } from './follow-reports.js';
import { createServedChain } from './served-chain.js';

const chainId = 8453;

function follow(store = createMemoryReportStore()) {
  const served = createServedChain();
  const lines: string[] = [];
  const log = (_fields: object, message: string) => void lines.push(message);
  const stopping = new AbortController();
  const running = followReports([{ key: 'base', chainId, served }], {
    ...{ store, intervalMs: 1, signal: stopping.signal },
    logger: { info: log, warn: log },
  });
  const stop = () => {
    stopping.abort();
    return running;
  };
  /** Resolves once it holds; the test ends by its own limit when it never does. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { store, served, lines, stop, until };
}

describe('followReports', () => {
  it('default: serves what the store has, and what changes there', async () => {
    const { store, served, stop, until } = follow();
    await store.saveRows(chainId, 100, [buildSummaryRow(1), buildSummaryRow(2)]);
    await until(() => served.current() !== undefined);
    expect(served.current()).toMatchObject({ version: 1n, newestSnapshot: 100 });
    expect(served.current()!.index.listedCount).toBe(2);

    await store.saveRows(chainId, 200, [buildSummaryRow(2, { listed: false, exclusions: ['paused'] })]);
    await until(() => served.current()!.version === 2n);
    expect(served.current()!.newestSnapshot).toBe(200);
    expect(served.current()!.index.listedCount).toBe(1);
    expect(served.current()!.index.all).toHaveLength(2);
    await stop();
    expect(store.asked).toEqual(expect.arrayContaining([0n, 1n]));
  });

  it('behavior: asks for rows only when the version moved', async () => {
    const { store, served, stop, until } = follow();
    await store.saveRows(chainId, 100, [buildSummaryRow(1)]);
    await until(() => served.current() !== undefined);
    const looks = store.looks();
    await until(() => store.looks() > looks + 3);
    await stop();
    expect(store.asked).toEqual([0n]);
  });

  it('behavior: a chain that began anew is taken over whole', async () => {
    const { store, served, stop, until } = follow();
    for (const t of [1, 2, 3]) await store.saveRows(chainId, t, [buildSummaryRow(t)]);
    await until(() => served.current()?.version === 3n);
    store.discard(chainId);
    await store.saveRows(chainId, 9, [buildSummaryRow(7)]);
    await until(() => served.current()!.version === 1n);
    await stop();
    expect(served.current()!.index.all.map(({ storeId }) => storeId)).toEqual([7]);
  });

  it('behavior: what was taken away is no longer served', async () => {
    const { store, served, stop, until } = follow();
    await store.saveRows(chainId, 100, [buildSummaryRow(1), buildSummaryRow(2)]);
    await until(() => served.current() !== undefined);
    await store.retain(chainId, [2]);
    await until(() => served.current()!.version === 2n);
    await stop();
    expect(served.current()!.index.all.map(({ storeId }) => storeId)).toEqual([2]);
  });

  it('behavior: while the store is down the last ranking stays; told once, and once when it is back', async () => {
    const { store, served, lines, stop, until } = follow();
    await store.saveRows(chainId, 100, [buildSummaryRow(1)]);
    await until(() => served.current() !== undefined);
    store.fail(new Error('no connection'));
    const looks = store.looks();
    await until(() => store.looks() > looks + 3);
    expect(served.current()!.newestSnapshot).toBe(100);
    store.fail(undefined);
    await until(() => lines.length === 2);
    await stop();
    expect(lines).toEqual([
      'the numbers of the sampler cannot be read: the last ranking stays',
      'the numbers of the sampler are read again',
    ]);
  });
});
