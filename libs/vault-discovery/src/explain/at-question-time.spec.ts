import type { VaultReport } from '@yield-vault/protocol';
import { atQuestionTime } from './at-question-time.js';

const report = (latestSnapshotAt: string | null) =>
  ({
    compositeScores: { maximize_apy: 57.0912, balanced: 68.368, minimize_risk: 83.2 },
    data: { latestSnapshotAt, ageSeconds: null, snapshots: 7 },
  }) as unknown as VaultReport;

describe('atQuestionTime', () => {
  const now = Date.parse('2026-01-01T00:10:00.900Z');

  it('default: tells the age of now, and scores of two decimals', () => {
    expect(atQuestionTime(report('2026-01-01T00:00:00.000Z'), now)).toEqual({
      compositeScores: { maximize_apy: 57.09, balanced: 68.37, minimize_risk: 83.2 },
      data: { latestSnapshotAt: '2026-01-01T00:00:00.000Z', ageSeconds: 600, snapshots: 7 },
    });
  });

  it('behavior: no age before the first sample, none below zero', () => {
    expect(atQuestionTime(report(null), now).data.ageSeconds).toBeNull();
    expect(atQuestionTime(report('2026-01-01T01:00:00.000Z'), now).data.ageSeconds).toBe(0);
  });
});
