import type { ReportStore, StoredReport, SummaryRow } from '../src/ports.js';

interface ChainReports {
  readonly version: bigint;
  /** Undefined after the chain was discarded. */
  readonly newestSnapshot: number | undefined;
  readonly rows: readonly (SummaryRow & Partial<StoredReport>)[];
}

/** Keep reports in memory. */
export function createMemoryReportStore() {
  const chains = new Map<number, ChainReports>();
  const saveRows = (
    chainId: number,
    newestSnapshot: number | undefined,
    rows: ChainReports['rows'],
  ): Promise<bigint> => {
    const version = (chains.get(chainId)?.version ?? 0n) + 1n;
    chains.set(chainId, { version, newestSnapshot, rows });
    return Promise.resolve(version);
  };
  const store: ReportStore = {
    save: saveRows,
    progress: (chainId) => {
      const { version, newestSnapshot } = chains.get(chainId) ?? {};
      const isRanked = version !== undefined && newestSnapshot !== undefined;
      return Promise.resolve(isRanked ? { version, newestSnapshot } : undefined);
    },
    summaries: (chainId) => Promise.resolve(chains.get(chainId)?.rows ?? []),
    report: (vaultId) => {
      const rows = [...chains.values()].flatMap((reports) => reports.rows);
      return Promise.resolve(rows.find(({ report }) => report?.vaultId === vaultId)?.report);
    },
    rejected: () => Promise.resolve([]),
  };
  return {
    ...store,
    /** As `save`, without explanations. */
    saveRows,
    /** Forget the numbers of a chain; its version stays. */
    discard: (chainId: number) => saveRows(chainId, undefined, []),
  };
}
