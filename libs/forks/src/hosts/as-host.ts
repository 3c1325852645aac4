import type { AnvilProcess } from '@yield-vault/anvil';
import { anvilArguments } from '../anvil/anvil-arguments.js';
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

/** Choose the arguments of Anvil for a host; without a block it waits to be told one. */
export function hostArguments(chain: HostChain, url: string, block?: bigint): readonly string[] {
  return [
    ...anvilArguments(chain, url, block),
    // A simulation leaves its thread to the others whenever it needs state: more of them only wake each other.
    ...['--threads', '1'],
    // What it is told it need not ask while it starts. A simulation states its fees itself.
    ...['--chain-id', String(chain.chainId), '--gas-price', '1000000000'],
  ];
}

/** Make a host of a running Anvil that is pinned to a block. */
export function asHost(parts: HostParts, anvil: AnvilProcess, block: BlockRef): LaunchedFork {
  return createAnvilFork({ ...parts, anvil, forkBlock: block.number, liveness });
}
