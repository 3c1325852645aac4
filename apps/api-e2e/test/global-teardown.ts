import type {} from './global-setup.js';

/** End what the global setup started. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.e2eTeardown?.();
}
