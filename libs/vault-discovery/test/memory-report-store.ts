import type { VaultReport } from '@yield-vault/protocol';
import type { RejectedRecord, ReportStore, SummaryRow } from '../src/ports.js';

export interface MemoryReportStore extends ReportStore {
  /** As `save`, without explanations. */
  saveRows(chainId: number, newestSnapshot: number, rows: readonly SummaryRow[]): Promise<bigint>;
  /** Forget the numbers of a chain; its version stays. */
  discard(chainId: number): void;
  /** Fail from now on, or no more. */
  fail(error: Error | undefined): void;
  /** How often progress was read. */
  looks(): number;
  /** How often rows were read. */
  loads(): number;
}

interface ChainReports {
  readonly version: bigint;
  /** Undefined after the chain was discarded. */
  readonly newestSnapshot: number | undefined;
  readonly rows: readonly SummaryRow[];
}

/** Keep reports in memory. */
export function createMemoryReportStore(): MemoryReportStore {
  const chains = new Map<number, ChainReports>();
  const rejectedByChain = new Map<number, readonly RejectedRecord[]>();
  const reportsById = new Map<string, VaultReport>();
  let failure: Error | undefined;
  let looks = 0;
  let loads = 0;
  const respond = <T>(value: () => T): Promise<T> =>
    failure === undefined ? Promise.resolve(value()) : Promise.reject(failure);

  const saveRows = (chainId: number, newestSnapshot: number, rows: readonly SummaryRow[]) => {
    const version = (chains.get(chainId)?.version ?? 0n) + 1n;
    chains.set(chainId, { version, newestSnapshot, rows });
    return Promise.resolve(version);
  };

  return {
    looks: () => looks,
    loads: () => loads,
    fail: (error) => (failure = error),
    discard: (chainId) => {
      const version = (chains.get(chainId)?.version ?? 0n) + 1n;
      chains.set(chainId, { version, newestSnapshot: undefined, rows: [] });
    },
    saveRows,
    save: (chainId, newestSnapshot, reports, rejected) => {
      rejectedByChain.set(chainId, rejected);
      for (const { report } of reports) reportsById.set(report.vaultId, report);
      return saveRows(chainId, newestSnapshot, reports);
    },
    progress: (chainId) => {
      looks++;
      return respond(() => {
        const { version, newestSnapshot } = chains.get(chainId) ?? {};
        return version === undefined || newestSnapshot === undefined
          ? undefined
          : { version, newestSnapshot };
      });
    },
    summaries: (chainId) => {
      loads++;
      return respond(() => chains.get(chainId)?.rows ?? []);
    },
    report: (vaultId) => respond(() => reportsById.get(vaultId)),
    rejected: (chainId) => respond(() => rejectedByChain.get(chainId) ?? []),
  };
}
