import type { DroppedRecord, ReportStore, SummaryRow } from '../src/ports.js';

interface MemoryReportStore extends ReportStore {
  saveRows(chainId: number, newestSnapshot: number, rows: readonly SummaryRow[]): Promise<bigint>;
  /** Forget a chain, its version included. */
  discard(chainId: number): void;
  /** Fail from now on, or no more. */
  fail(error: Error | undefined): void;
  /** How often progress was asked for. */
  looks(): number;
  /** Versions after which changes were asked for. */
  readonly asked: bigint[];
}

/** Keep reports in memory. */
export function createMemoryReportStore(): MemoryReportStore {
  const chains = new Map<
    number,
    { version: bigint; newestSnapshot: number; rows: Map<number, SummaryRow & { version: bigint }> }
  >();
  const droppedByChain = new Map<number, readonly DroppedRecord[]>();
  const asked: bigint[] = [];
  let failure: Error | undefined;
  let looks = 0;
  const answer = <T>(value: () => T): Promise<T> =>
    failure === undefined ? Promise.resolve(value()) : Promise.reject(failure);

  const saveRows = (chainId: number, newestSnapshot: number, rows: readonly SummaryRow[]) => {
    const chain = chains.get(chainId) ?? { version: 0n, newestSnapshot, rows: new Map() };
    const version = chain.version + 1n;
    for (const row of rows) chain.rows.set(row.vault, { ...row, version });
    chains.set(chainId, { ...chain, version, newestSnapshot });
    return Promise.resolve(version);
  };

  return {
    asked,
    looks: () => looks,
    fail: (error) => (failure = error),
    discard: (chainId) => void chains.delete(chainId),
    saveRows,
    save: (chainId, newestSnapshot, reports, dropped) => {
      droppedByChain.set(chainId, dropped);
      return saveRows(chainId, newestSnapshot, reports);
    },
    progress: (chainId) => {
      looks++;
      return answer(() => {
        const chain = chains.get(chainId);
        return chain && { version: chain.version, newestSnapshot: chain.newestSnapshot };
      });
    },
    changedSince: (chainId, version) => {
      asked.push(version);
      return answer(() =>
        [...(chains.get(chainId)?.rows.values() ?? [])].filter((row) => row.version > version),
      );
    },
    report: () => answer(() => undefined),
    dropped: (chainId) => answer(() => droppedByChain.get(chainId) ?? []),
  };
}
