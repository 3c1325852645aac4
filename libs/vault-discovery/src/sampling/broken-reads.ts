import type { PublicClient } from 'viem';
import { readHeader, type Header } from '../chain/block-finder.js';
import { readBatches, toBatches } from '../chain/read-contracts.js';
import {
  readOf,
  toAmount,
  type Sample,
  type SampledFunction,
  type TrackedVault,
} from '../chain/sample-block.js';
import { clamp, daySeconds, hourSeconds } from '../metrics/statistics.js';
import type { BrokenRead, BrokenReadStore, LoggerPort } from '../ports.js';

export interface BrokenReadsDeps {
  readonly rpc: PublicClient;
  readonly chain: string;
  readonly store: BrokenReadStore;
  readonly readGasLimit: number;
  readonly logger: LoggerPort;
}

/**
 * Remembers which reads of which vaults do not work. Such a vault is left out of batches; the read is tried again
 * on its own, where it can spoil nothing, an hour later and then after as long again as it has been broken, a day
 * at most.
 */
export interface BrokenReads {
  /** Take over what is stored of vaults. */
  adopt(vaults: readonly TrackedVault[]): Promise<void>;
  /** Try again what is due. @returns the vaults whose reads all work */
  working(vaults: readonly TrackedVault[], head: Header): Promise<readonly TrackedVault[]>;
  /** Remember what did not answer at the head, and does not on its own either. */
  note(vaults: readonly TrackedVault[], sample: Sample): Promise<void>;
}

/** Begin with nothing broken. */
export function createBrokenReads({ rpc, chain, store, readGasLimit, logger }: BrokenReadsDeps): BrokenReads {
  const broken = new Map<string, BrokenRead>();
  const keyOf = ({ vault, functionName }: Pick<BrokenRead, 'vault' | 'functionName'>) =>
    `${vault} ${functionName}`;
  const brokenVaults = () => new Set([...broken.values()].map(({ vault }) => vault));

  const unansweredAlone = async <T extends Pick<BrokenRead, 'vault' | 'functionName'>>(
    vaults: readonly TrackedVault[],
    reads: readonly T[],
    head: Header,
  ): Promise<T[]> => {
    const byId = new Map(vaults.map((vault) => [vault.id, vault]));
    const alone = reads.map(({ vault, functionName }) =>
      readOf(byId.get(vault)!, functionName as SampledFunction),
    );
    const answers = await readBatches(rpc, toBatches(alone, 1, readGasLimit), BigInt(head.number));
    return reads.filter((_, index) => toAmount(answers[index]) === undefined);
  };

  const retry = async (vaults: readonly TrackedVault[], head: Header) => {
    const ids = new Set(vaults.map(({ id }) => id));
    const due = [...broken.values()].filter(({ vault, retryAt }) => ids.has(vault) && retryAt <= head.t);
    if (due.length === 0) return;
    const stillBroken = await unansweredAlone(vaults, due, head);
    const mended = due.filter((read) => !stillBroken.includes(read));
    if (mended.length > 0) await store.clear(mended);
    for (const read of mended) broken.delete(keyOf(read));
    const since = new Map<bigint, number>();
    for (const { sinceBlock } of stillBroken)
      if (!since.has(sinceBlock)) since.set(sinceBlock, (await readHeader(rpc, Number(sinceBlock))).t);
    await remember(
      stillBroken.map((read) => {
        const pause = clamp(head.t - since.get(read.sinceBlock)!, hourSeconds, daySeconds);
        return { ...read, retryAt: head.t + pause };
      }),
    );
    if (mended.length > 0) logger.info({ chain, reads: mended.map(keyOf) }, 'reads work again');
  };

  const remember = async (reads: readonly BrokenRead[]) => {
    await store.save(reads);
    for (const read of reads) broken.set(keyOf(read), read);
  };

  return {
    adopt: async (vaults) => {
      for (const read of await store.read(vaults.map(({ id }) => id))) broken.set(keyOf(read), read);
    },
    working: async (vaults, head) => {
      await retry(vaults, head);
      const left = brokenVaults();
      return left.size === 0 ? vaults : vaults.filter(({ id }) => !left.has(id));
    },
    note: async (vaults, { header, unanswered, isEmpty }) => {
      if (unanswered.length === 0) return;
      if (isEmpty) {
        logger.warn({ chain, block: header.number }, 'no vault answered at all: the node is not believed');
        return;
      }
      // In a batch a read may also fail because another one left it too little gas.
      const reads = await unansweredAlone(vaults, unanswered, header);
      if (reads.length === 0) return;
      const sinceBlock = BigInt(header.number);
      await remember(reads.map((read) => ({ ...read, sinceBlock, retryAt: header.t + hourSeconds })));
      logger.warn({ chain, reads: reads.map(keyOf) }, 'reads do not work: tried again in an hour');
    },
  };
}
