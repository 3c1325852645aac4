import { startAnvil } from '@yield-vault/anvil';
import { ForkNotRunningError } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { Reservation } from '../gateway/serve-gateway.js';
import type { LaunchedFork } from '../ports.js';
import type { BlockRef } from '../types.js';
import { asHost, hostArguments, type HostParts } from './as-host.js';

// The first answer it waits for may come late; what follows is on this machine.
const readinessMs = 30_000;

/** A host that starts before its block is known. */
export interface SpareHost {
  /** Say on which block it is to stand; one that stands on another answers nothing. @throws {Error} when it does not get ready */
  pin(block: BlockRef): Promise<LaunchedFork>;
  /** End it unpinned. Resolves once its process is gone. */
  end(): Promise<void>;
}

/**
 * Start a host while the newest block is being looked up: the one takes about as long as the other. It waits at its
 * address until it is pinned.
 */
export function startSpareHost(
  options: HostParts & { readonly reservation: Reservation; readonly signal: AbortSignal },
): SpareHost {
  const { reservation, signal, ...parts } = options;
  const stop = new AbortController();
  const starting = startAnvil({
    args: hostArguments(parts.chain, reservation.url),
    readinessMs,
    signal: AbortSignal.any([signal, stop.signal]),
  });
  starting.then(({ ended }) => ended).then(reservation.release, reservation.release);
  return {
    async pin(block) {
      reservation.pin(block);
      return asChecked(asHost(parts, await starting, block), parts.chain.key, block);
    },
    async end() {
      stop.abort();
      const anvil = await starting.catch(() => undefined);
      await anvil?.kill();
    },
  };
}

/**
 * It chose its block by itself: state of any other one must never be taken for that of this one. Its first answer need
 * not wait for that to be known, only be held back.
 */
function asChecked(host: LaunchedFork, chain: string, { number }: BlockRef): LaunchedFork {
  const check = async () => {
    const standsOn = BigInt((await host.request('eth_blockNumber')) as Hex);
    if (standsOn === number) return;
    const detail = `A fork of ${chain} stands on block ${String(standsOn)}, not ${String(number)}.`;
    throw new ForkNotRunningError({ detail, details: { chain }, retryAfterSeconds: 1 });
  };
  const checked = check();
  checked.catch(() => undefined); // Whoever asks it is told.
  return {
    ...host,
    request: async (...question) => (await Promise.all([host.request(...question), checked]))[0],
  };
}
