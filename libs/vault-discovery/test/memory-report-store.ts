import type { VaultReport } from '@yield-vault/protocol';
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

interface ChainReports {
  readonly version: bigint;
  readonly replacedAt: bigint;
  readonly newestSnapshot: number;
  readonly rows: Map<number, SummaryRow & { readonly version: bigint }>;
}

/** Keep reports in memory. */
export function createMemoryReportStore(): MemoryReportStore {
  const chains = new Map<number, ChainReports>();
  const droppedByChain = new Map<number, readonly DroppedRecord[]>();
  const reportsById = new Map<string, VaultReport>();
  const asked: bigint[] = [];
  let failure: Error | undefined;
  let looks = 0;
  const answer = <T>(value: () => T): Promise<T> =>
    failure === undefined ? Promise.resolve(value()) : Promise.reject(failure);

  const saveRows = (chainId: number, newestSnapshot: number, rows: readonly SummaryRow[]) => {
    const chain: Omit<ChainReports, 'newestSnapshot'> = chains.get(chainId) ?? {
      version: 0n,
      replacedAt: 0n,
      rows: new Map(),
    };
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
      for (const { report } of reports) reportsById.set(report.vaultId, report);
      return saveRows(chainId, newestSnapshot, reports);
    },
    retain: (chainId, vaults) => {
      const chain = chains.get(chainId);
      if (chain) {
        for (const vault of chain.rows.keys()) if (!vaults.includes(vault)) chain.rows.delete(vault);
        chains.set(chainId, { ...chain, version: chain.version + 1n, replacedAt: chain.version + 1n });
      }
      return Promise.resolve();
    },
    progress: (chainId) => {
      looks++;
      return answer(() => {
        const chain = chains.get(chainId);
        return (
          chain && {
            version: chain.version,
            newestSnapshot: chain.newestSnapshot,
            replacedAt: chain.replacedAt,
          }
        );
      });
    },
    changedSince: (chainId, version) => {
      asked.push(version);
      return answer(() =>
        [...(chains.get(chainId)?.rows.values() ?? [])].filter((row) => row.version > version),
      );
    },
    report: (vaultId) => answer(() => reportsById.get(vaultId)),
    dropped: (chainId) => answer(() => droppedByChain.get(chainId) ?? []),
  };
}
