import type { VaultReport } from '@yield-vault/protocol';
import { roundScores } from './vault-page.js';

/** Make a stored report the answer of this moment: its age, and scores as the wire has them. */
export function atQuestionTime(report: VaultReport, nowMs: number): VaultReport {
  const { latestSnapshotAt } = report.data;
  const ageSeconds =
    latestSnapshotAt === null
      ? null
      : Math.max(0, Math.floor((nowMs - Date.parse(latestSnapshotAt)) / 1_000));
  return {
    ...report,
    compositeScores: roundScores(report.compositeScores),
    data: { ...report.data, ageSeconds },
  };
}
