import { isMissingState } from '@yield-vault/chains';
import type { PublicClient } from 'viem';
import type { BlockFinder } from '../chain/block-finder.js';
import { inParallel } from '../chain/in-parallel.js';
import { concurrentBatches } from '../chain/read-contracts.js';
import { sampleBlock, type Sample, type SamplePlan } from '../chain/sample-block.js';
import { hourSeconds } from '../metrics/statistics.js';

/** What was found of an hour. */
export interface HourReading {
  /** Its start, Unix seconds. */
  readonly hour: number;
  /** `no-block`: none fell into the hour. `missing-state`: no node has the state of its last block. */
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

/** The samples among readings. */
export const samplesOf = (readings: readonly HourReading[]): Sample[] =>
  readings.flatMap(({ found }) => (typeof found === 'string' ? [] : [found]));
