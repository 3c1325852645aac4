import { startJobs } from '@yield-vault/database';
import { buildSummaryRow } from '../../test/build-summary.js';
import { createMemoryReportStore } from '../../test/memory-report-store.js';
import { followReports, type ServedState } from './follow-reports.js';

const chainId = 8453;

async function follow() {
  const store = createMemoryReportStore();
  const progress = jest.spyOn(store, 'progress');
  const summaries = jest.spyOn(store, 'summaries');
  let state: ServedState | undefined;
  const job = followReports({
    store,
    chainIds: [chainId],
    intervalMs: 1,
    onState: (_, next) => (state = next),
  });
  const { stop } = startJobs(() => [job]);
  /** Resolves once it holds; otherwise the test times out. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  await store.saveRows(chainId, 100, [buildSummaryRow(1), buildSummaryRow(2)]);
  await until(() => state !== undefined);
  /** Resolves after so many more looks at the store. */
  const looks = async (count: number) => {
    const before = progress.mock.calls.length;
    await until(() => progress.mock.calls.length > before + count);
  };
  return { store, progress, summaries, state: () => state!, stop, until, looks };
}

describe('followReports', () => {
  it('behavior: reads rows only when the version moved', async () => {
    const { summaries, stop, looks } = await follow();
    await looks(3);
    await stop();
    expect(summaries).toHaveBeenCalledTimes(1);
  });

  it('behavior: a discarded chain is served until it is ranked again', async () => {
    const { store, state, stop, until, looks } = await follow();
    await store.discard(chainId);
    await looks(1);
    expect(state().version).toBe(1n);
    await store.saveRows(chainId, 9, [buildSummaryRow(7)]);
    await until(() => state().version === 3n);
    await stop();
    expect(state().index.all.map(({ storeId }) => storeId)).toEqual([7]);
  });

  it('behavior: rows of a chain that cannot be read stop no other chain', async () => {
    const store = createMemoryReportStore();
    const summaries = (id: number) =>
      id === 1 ? Promise.reject(new TypeError('another shape')) : store.summaries(id);
    const served: number[] = [];
    const job = followReports({
      store: { ...store, summaries },
      chainIds: [1, chainId],
      intervalMs: 1,
      onState: (id) => served.push(id),
    });
    for (const id of [1, chainId]) await store.saveRows(id, 100, [buildSummaryRow(1)]);
    await expect(job.run(new AbortController().signal)).rejects.toThrow('another shape');
    expect(served).toEqual([chainId]);
  });

  it('behavior: while the store is down the last ranking stays', async () => {
    const { store, progress, state, stop, until, looks } = await follow();
    progress.mockRejectedValue(new Error('no connection'));
    await looks(3);
    expect(state().newestSnapshot).toBe(100);
    progress.mockRestore();
    await store.saveRows(chainId, 200, [buildSummaryRow(1)]);
    await until(() => state().newestSnapshot === 200);
    await stop();
  });
});
