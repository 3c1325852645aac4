import { buildSummaryRow } from '../../test/build-summary.js';
import { createMemoryReportStore } from '../../test/memory-report-store.js';
import { followReports, type ServedState } from './follow-reports.js';

const chainId = 8453;

function follow(store = createMemoryReportStore()) {
  let state: ServedState | undefined;
  const lines: string[] = [];
  const log = (_fields: object, message: string) => void lines.push(message);
  const stopping = new AbortController();
  const running = followReports([chainId], {
    ...{ store, intervalMs: 1, signal: stopping.signal },
    logger: { info: log, warn: log, error: log },
    onState: (_, next) => (state = next),
  });
  const stop = () => {
    stopping.abort();
    return running;
  };
  /** Resolves once it holds; otherwise the test times out. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { store, state: () => state, lines, stop, until };
}

describe('followReports', () => {
  it('default: serves the numbers of the store, and replaces them when they change', async () => {
    const { store, state, stop, until } = follow();
    await store.saveRows(chainId, 100, [buildSummaryRow(1), buildSummaryRow(2)]);
    await until(() => state() !== undefined);
    expect(state()).toMatchObject({ version: 1n, newestSnapshot: 100 });
    expect(state()!.index.listedCount).toBe(2);

    await store.saveRows(chainId, 200, [buildSummaryRow(2, { listed: false, exclusions: ['paused'] })]);
    await until(() => state()!.version === 2n);
    expect(state()!.newestSnapshot).toBe(200);
    expect(state()!.index.listedCount).toBe(0);
    expect(state()!.index.all.map(({ storeId }) => storeId)).toEqual([2]);
    await stop();
  });

  it('behavior: reads rows only when the version moved', async () => {
    const { store, state, stop, until } = follow();
    await store.saveRows(chainId, 100, [buildSummaryRow(1)]);
    await until(() => state() !== undefined);
    const looks = store.looks();
    await until(() => store.looks() > looks + 3);
    await stop();
    expect(store.loads()).toBe(1);
  });

  it('behavior: a discarded chain is served until it is ranked again', async () => {
    const { store, state, stop, until } = follow();
    await store.saveRows(chainId, 100, [buildSummaryRow(1)]);
    await until(() => state() !== undefined);
    store.discard(chainId);
    const looks = store.looks();
    await until(() => store.looks() > looks + 1);
    expect(state()!.version).toBe(1n);
    await store.saveRows(chainId, 9, [buildSummaryRow(7)]);
    await until(() => state()!.version === 3n);
    await stop();
    expect(state()!.index.all.map(({ storeId }) => storeId)).toEqual([7]);
  });

  it('behavior: while the store is down the last ranking stays; one line for the outage, one for its end', async () => {
    const { store, state, lines, stop, until } = follow();
    await store.saveRows(chainId, 100, [buildSummaryRow(1)]);
    await until(() => state() !== undefined);
    store.fail(new Error('no connection'));
    const looks = store.looks();
    await until(() => store.looks() > looks + 3);
    expect(state()!.newestSnapshot).toBe(100);
    store.fail(undefined);
    await until(() => lines.length === 2);
    await stop();
    expect(lines).toEqual([
      'reading the numbers of the sampler failed: the last ranking stays',
      'reading the numbers of the sampler works again',
    ]);
  });
});
