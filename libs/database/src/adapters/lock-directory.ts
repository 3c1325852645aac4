import { mkdir } from 'node:fs/promises';
import { lock } from 'proper-lockfile';
import { DatabaseLockedError } from '../errors.js';

// The lock is a sibling directory whose time is renewed every second. The lock of a killed process is free after
// `staleMs`, so a restart waits a little longer than that before it says that the directory is held.
const staleMs = 5_000;
const renewMs = 1_000;
const retries = { retries: 13, factor: 1, minTimeout: 500, maxTimeout: 500 };

export interface DirectoryLock {
  /** @throws {DatabaseLockedError} when the lock was lost (a process suspended for long) */
  assertHeld(): void;
  release(): Promise<void>;
}

/**
 * Take a directory for this process alone: PGlite itself would let two processes write over each other.
 *
 * @throws {DatabaseLockedError} when another process holds it
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true });
  let lost: Error | undefined;
  const release = await lock(directory, {
    stale: staleMs,
    update: renewMs,
    retries,
    onCompromised: (error) => {
      lost = error;
    },
  }).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === 'ELOCKED')
      throw new DatabaseLockedError(directory, { cause: error });
    throw error;
  });
  return {
    assertHeld: () => {
      if (lost) throw new DatabaseLockedError(directory, { cause: lost });
    },
    release: async () => {
      if (!lost) await release();
    },
  };
}
