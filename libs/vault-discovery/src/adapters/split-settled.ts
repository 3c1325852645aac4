import { floorHour } from '../metrics/statistics.js';
import type { Coverage, Snapshot } from '../ports.js';

/** Tell snapshots that are settled, since their hours count as read from now on, from those that may still change. */
export function splitSettled(
  snapshots: readonly Snapshot[],
  coverage: readonly Coverage[],
): { readonly settled: Snapshot[]; readonly unsettled: Snapshot[] } {
  const ofVault = new Map(coverage.map((each) => [each.vault, each]));
  const settled: Snapshot[] = [];
  const unsettled: Snapshot[] = [];
  for (const snapshot of snapshots) {
    const covered = ofVault.get(snapshot.vault);
    const hour = floorHour(snapshot.t);
    const isSettled = covered !== undefined && hour >= covered.from && hour < covered.until;
    (isSettled ? settled : unsettled).push(snapshot);
  }
  return { settled, unsettled };
}
