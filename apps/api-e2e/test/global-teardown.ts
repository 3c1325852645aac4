import type {} from './global-setup.js';

/** Stop the processes of the global setup. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.e2eTeardown?.();
}
