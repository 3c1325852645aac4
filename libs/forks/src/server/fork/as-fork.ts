import { randomBytes } from 'node:crypto';
import type { Fork, ForkChain, ForkRecord } from '../../types.js';
import type { AnvilFork } from './create-anvil-fork.js';
import { createFunder } from './create-funder.js';

/** Make an id for a fork. */
export function newForkId(chain: string): string {
  return `${chain}-${randomBytes(6).toString('hex')}`;
}

/** Give an Anvil fork its record and its funding. Its status follows the process. */
export function asFork(
  anvil: AnvilFork,
  facts: Pick<ForkRecord, 'id' | 'kind' | 'createdAt'> & {
    readonly chain: ForkChain;
    /** Called before and after every use. */
    readonly onUse: () => void;
    /** Awaited after every use that succeeds. */
    readonly afterUse?: () => Promise<void>;
  },
): Fork {
  const { chain, id, kind, createdAt, onUse, afterUse } = facts;
  let status: ForkRecord['status'] = 'running';
  void anvil.ended.then(() => {
    status = 'failed';
  });
  const used =
    <Arguments extends unknown[], Result>(act: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      onUse();
      try {
        const result = await act(...args);
        await afterUse?.();
        return result;
      } finally {
        onUse();
      }
    };
  return {
    id,
    kind,
    chain: chain.key,
    chainId: chain.chainId,
    forkBlock: anvil.forkBlock,
    createdAt,
    rpcUrl: anvil.rpcUrl,
    get status() {
      return status;
    },
    request: used(anvil.request),
    fund: used(createFunder(anvil, chain)),
    mine: used(anvil.mine),
  };
}

/** Reduce a fork to its record. */
export function recordOf(fork: ForkRecord): ForkRecord {
  const { id, kind, chain, chainId, status, forkBlock, createdAt } = fork;
  return { id, kind, chain, chainId, status, forkBlock, createdAt };
}
