import { setTimeout as sleep } from 'node:timers/promises';
import { sameHex, type Sighting } from '@yield-vault/protocol';
import type { ChainEventsPort } from '../../src/ports.js';
import type { createFakeChain } from './fake-chain.js';

type FakeChain = ReturnType<typeof createFakeChain>;

/** What a follower stored. */
export type StoredEvents = ReturnType<FakeChain['readEvents']>;

/**
 * What a follower does:
 * - `live`: it stores each block at once.
 * - `stuck`: it keeps what it stored, whatever happens on the chain, as one that is late, lost an event, or missed a
 *   reorganisation does.
 * - `unclear`: it takes every block for one that may use the nonce.
 * - `silent`: it is down.
 */
export type FollowerMode = 'live' | 'stuck' | 'unclear' | 'silent';

/** A follower of a fake chain. */
export function createFakeEvents(fake: FakeChain) {
  let mode: FollowerMode = 'live';
  let stored = fake.readEvents();
  const read = () => (mode === 'stuck' ? stored : (stored = fake.readEvents()));

  const events: ChainEventsPort = {
    newestBlock: () => Promise.resolve(mode === 'silent' ? undefined : read().block),
    depthOf: (_, { number, hash }) => {
      const { block, hashOf } = read();
      const isStored = mode !== 'silent' && number <= block && hashOf(number) === hash;
      return Promise.resolve(isStored ? block - number : undefined);
    },
    async waitForOperation({ sender, nonce, userOpHash }, timeoutMs, signal): Promise<Sighting> {
      for (const endMs = Date.now() + timeoutMs; ; await sleep(2)) {
        if (mode === 'silent' || mode === 'unclear') return { kind: mode };
        const use = read().operations.find((each) => each.nonce === nonce && sameHex(each.sender, sender));
        if (use)
          return sameHex(use.userOpHash, userOpHash)
            ? { kind: 'included', txHash: use.txHash }
            : { kind: 'unclear' };
        if (Date.now() >= endMs || signal?.aborted) return { kind: 'unseen' };
      }
    },
  };
  return {
    events,
    setMode: (next: FollowerMode) => {
      read();
      mode = next;
    },
  };
}
