import { ForkNotRunningError } from '@yield-vault/protocol';
import type { EphemeralFork } from '../types.js';
import type { Session } from './session.js';

/** A session as its user sees it. */
export interface BoundSession {
  readonly view: EphemeralFork;
  /** From now on the user gets nothing out of it. */
  end(): void;
}

/** Give a session to its user, until it ends. */
export function bindSession(
  session: Session,
  facts: Pick<EphemeralFork, 'id' | 'chain' | 'strategy'>,
): BoundSession {
  const { block, fork } = session;
  const { id, chain } = facts;
  let hasEnded = false;
  const view: EphemeralFork = {
    ...facts,
    block,
    ...(fork && { fork }),
    simulate(request) {
      if (!hasEnded) return session.simulate(request);
      const detail = `The fork ${id} of ${chain} has ended with its use.`;
      return Promise.reject(new ForkNotRunningError({ detail, details: { chain, forkId: id } }));
    },
  };
  return {
    view,
    end() {
      hasEnded = true;
    },
  };
}
