import { isMissingState } from '@yield-vault/chains';
import type { PublicClient } from 'viem';
import { inParallel } from '../batching.js';
import type { BlockFinder } from '../chain/block-finder.js';
import { concurrentBatches } from '../chain/read-contracts.js';
import { type Sample, sampleBlock, type SamplePlan } from './sample-block.js';
import { hourSeconds } from '@yield-vault/vault-metrics';
import type { Snapshot } from '../ports.js';

/** The result of reading one hour. */
export interface HourReading {
  /** Its start, Unix seconds. */
  readonly hour: number;
  /** `no-block`: the hour has no block. `missing-state`: no node has the state of its last block. */
  readonly found: Sample | 'no-block' | 'missing-state';
}

/**
 * Read vaults at the last block of each hour, a few hours at a time.
 *
 * @returns in the order of the hours
 */
export async function readHours(
  rpc: PublicClient,
  finder: BlockFinder,
  plan: SamplePlan,
  hours: readonly number[],
  signal: AbortSignal,
): Promise<HourReading[]> {
  const atOnce = Math.max(1, Math.floor(concurrentBatches / Math.max(1, plan.batches.length)));
  const readHour = async (hour: number): Promise<HourReading> => {
    signal.throwIfAborted();
    const header = await finder.lastBefore(hour + hourSeconds);
    if (!header || header.t < hour) return { hour, found: 'no-block' };
    try {
      return { hour, found: await sampleBlock(rpc, plan, header) };
    } catch (error) {
      if (isMissingState(error)) return { hour, found: 'missing-state' };
      throw error;
    }
  };
  return inParallel(hours, atOnce, readHour);
}

/** The snapshots among readings. */
export const snapshotsOf = (readings: readonly HourReading[]): Snapshot[] =>
  readings.flatMap(({ found }) => (typeof found === 'string' ? [] : found.snapshots));

/** The starts of the hours in [start, end), both of which are hours. */
export const hoursBetween = (start: number, end: number): number[] =>
  Array.from({ length: Math.max(0, (end - start) / hourSeconds) }, (_, index) => start + index * hourSeconds);
