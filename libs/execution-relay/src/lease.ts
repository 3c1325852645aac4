import { randomUUID } from 'node:crypto';
import type { IntentState } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type {
  ChainEventsPort,
  IntentLease,
  IntentStore,
  IntentTransition,
  SimulatorPort,
  VaultsPort,
} from './ports.js';
import type { VerifiedIntent } from './types.js';

/** Another process took the intent over. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** A state that ends an intent. */
export type FinalState = Extract<IntentState, 'confirmed' | 'failed' | 'expired'>;

/** A block before which no block can include the operation, and the next nonce. */
export type HeadAndNonce = Promise<readonly [since: bigint, nextNonce: bigint]>;

/** An intent under its lease, and everything that resolves it. */
export interface IntentWork {
  readonly intent: VerifiedIntent;
  readonly lease: IntentLease;
  readonly store: IntentStore;
  readonly vaults: VaultsPort;
  readonly simulate: SimulatorPort | undefined;
  readonly searchBlocks: bigint;
  readonly events: ChainEventsPort;
  /** The latest expiry of an envelope that was prepared at a time; both in Unix seconds. */
  readonly latestExpiry: (preparedAt: number) => number;
  readonly now: () => number;
  /** Present where they were read together with the reservation. */
  readonly headAndNonce?: HeadAndNonce | undefined;
  readonly onResolved?: ((state: FinalState) => void) | undefined;
}

/** @throws {LeaseLostError} when another process took the intent over */
export async function advance(
  { store, intent, lease, onResolved }: IntentWork,
  transition: IntentTransition,
): Promise<void> {
  const { state } = transition;
  if (!(await store.advance(intent.intentId, lease.owner, transition))) throw new LeaseLostError();
  if (state === 'confirmed' || state === 'failed' || state === 'expired') onResolved?.(state);
}

/** Make a lease of a new owner. */
export const newLease = (seconds: number): IntentLease => ({ owner: randomUUID(), seconds });

/** Run work under its lease, and release the lease when the work fails; `undefined` when the lease was lost. */
export async function withLease<T>(
  store: IntentStore,
  intentId: Hex,
  lease: IntentLease,
  run: () => Promise<T>,
): Promise<T | undefined> {
  let renewal: Promise<unknown> = Promise.resolve();
  // A simulation, or a search of many blocks, may take longer than a lease lasts. The next transition checks the owner, so the
  // result does not matter here.
  const renew = () => (renewal = store.renew(intentId, lease).catch(() => undefined));
  const timer = setInterval(() => void renew(), (lease.seconds * 1000) / 3);
  const stop = async () => {
    clearInterval(timer);
    // A pending renewal would undo the release.
    await renewal;
  };
  try {
    return await run().finally(stop);
  } catch (error) {
    if (error instanceof LeaseLostError) return undefined;
    await release(store, intentId, lease);
    throw error;
  }
}

/** Release a lease. After a failure, the lease expires by itself. */
export async function release(store: IntentStore, intentId: Hex, lease: IntentLease): Promise<void> {
  await store.release(intentId, lease.owner).catch(() => undefined);
}
