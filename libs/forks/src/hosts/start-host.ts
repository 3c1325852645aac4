import { startAnvil } from '@yield-vault/anvil';
import { ForkNotRunningError } from '@yield-vault/protocol';
import type { LaunchedFork } from '../ports.js';
import type { BlockRef } from '../types.js';
import { asHost, hostArguments, type HostParts } from './as-host.js';

const readinessMs = 10_000;

export interface HostOptions extends HostParts {
  /** On which it stands for as long as it lives. */
  readonly block: BlockRef;
  /** Where it reads the state of that block. */
  readonly url: string;
  /** Arguments of Anvil beside those of every fork. */
  readonly args?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Start an Anvil that is pinned to one block. It is never reset: whoever needs another block starts another one.
 *
 * @throws {ForkNotRunningError} it did not get ready; retryable
 */
export async function startHost(options: HostOptions): Promise<LaunchedFork> {
  const { block, url, args = [], signal, ...parts } = options;
  const { chain } = parts;
  try {
    const anvil = await startAnvil({
      args: [...hostArguments(chain, url, block.number), ...args],
      readinessMs,
      signal,
    });
    return asHost(parts, anvil, block);
  } catch (cause) {
    throw new ForkNotRunningError({
      detail: `A fork of ${chain.key} could not be started.`,
      details: { chain: chain.key },
      retryAfterSeconds: 1,
      cause,
    });
  }
}
