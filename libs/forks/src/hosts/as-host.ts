import type { AnvilProcess } from '@yield-vault/anvil';
import { createAnvilFork } from '../anvil/create-anvil-fork.js';
import type { ForkLogger, LaunchedFork } from '../ports.js';
import type { JsonPoster } from '../rpc/create-json-poster.js';
import type { BlockRef, ForkChain } from '../types.js';

// A process that was stopped answers nothing and ends nothing: whoever waits for it would wait for ever.
const liveness = { everyMs: 1_000, deadlineMs: 2_000 };

/** What a host needs to know about its chain. */
export type HostChain = Pick<ForkChain, 'key' | 'chainId' | 'opStack'>;

export interface HostParts {
  readonly chain: HostChain;
  readonly id: string;
  readonly poster: JsonPoster;
  readonly logger: ForkLogger;
}

/** Make a host of a running Anvil that is pinned to a block. */
export function asHost(parts: HostParts, anvil: AnvilProcess, block: BlockRef): LaunchedFork {
  return createAnvilFork({ ...parts, anvil, forkBlock: block.number, liveness });
}
