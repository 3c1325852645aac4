import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoggerPort } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';
import { parseJson } from '../../json-rpc.js';

const wholeNumber = z.string().regex(/^\d+$/).transform(BigInt);
const hex = z.string().regex(/^0x[0-9a-f]*$/i) as unknown as z.ZodType<Hex>;

const savedSchema = z.object({
  version: z.literal(1),
  chainId: z.number().int(),
  id: z.string().min(1),
  /** Unix milliseconds. */
  createdAt: z.number(),
  forkBlock: wholeNumber,
  forkBlockHash: hex,
  /** The highest block number that clients may have seen. */
  head: wholeNumber,
  /** True when the fork ended right after this was written. */
  isComplete: z.boolean(),
  state: hex,
});

/** A persistent fork as it is kept on disk. */
export type SavedFork = Omit<z.infer<typeof savedSchema>, 'version'>;

/** Files with the state of persistent forks. One process at a time may use a folder. */
export interface StateStore {
  /** Read the saved fork of a chain. A file that cannot be used is set aside with a warning. */
  read(chain: string, chainId: number): Promise<SavedFork | undefined>;
  /** Replace the file atomically. */
  write(chain: string, fork: SavedFork): Promise<void>;
  /** Rename a file, so that an operator can inspect it. Never rejects: its successor runs already. */
  setAside(chain: string, reason: string): Promise<void>;
  remove(chain: string): Promise<void>;
}

/** Make a store in a folder. The first write creates the folder. */
export function createStateStore(directory: string, logger: LoggerPort): StateStore {
  const fileOf = (chain: string): string => join(directory, `${chain}.fork.json`);

  const setAside = async (chain: string, reason: string): Promise<void> => {
    const file = `${fileOf(chain)}.rejected`;
    logger.warn({ chain, file, reason }, 'the saved state of a fork cannot be used and is set aside');
    await rename(fileOf(chain), file).catch((error: unknown) => {
      logger.warn({ chain, file, err: error }, 'the saved state of a fork could not be set aside');
    });
  };

  return {
    setAside,
    async read(chain, chainId) {
      const text = await readFile(fileOf(chain), 'utf8').catch(ignoreMissing);
      if (text === undefined) return undefined;
      const saved = savedSchema.safeParse(parseJson(text));
      if (saved.success && saved.data.chainId === chainId) return saved.data;
      await setAside(chain, saved.success ? 'it belongs to another chain' : 'it is damaged');
      return undefined;
    },
    async write(chain, fork) {
      await mkdir(directory, { recursive: true });
      const text = JSON.stringify({ version: 1, ...fork }, (_, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      );
      const file = fileOf(chain);
      await writeFile(`${file}.new`, text, { flush: true });
      await rename(`${file}.new`, file);
    },
    remove: (chain) => rm(fileOf(chain), { force: true }),
  };
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

/** Saves the state of a running fork some seconds after each change. */
export interface StateSaver {
  markChanged(): void;
  /** Save for the last time, right before the fork ends. */
  complete(): Promise<void>;
  /** Stop saving. */
  stop(): Promise<void>;
}

const debounceMs = 5_000;
// The state grows with the age of a fork. Saving may take at most about a twentieth of Anvil's time.
const pausePerSaving = 20;

/** Make the saver of a fork. Failures are logged and do not stop the fork. */
export function createStateSaver({
  chain,
  facts,
  dumpState,
  store,
  head,
  logger,
}: {
  /** Chain key. */
  readonly chain: string;
  readonly facts: Omit<SavedFork, 'head' | 'isComplete' | 'state'>;
  readonly dumpState: () => Promise<Hex>;
  readonly store: StateStore;
  /** The highest block number that was seen. */
  readonly head: () => bigint;
  readonly logger: LoggerPort;
}): StateSaver {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let pauseMs = debounceMs;
  let saving: Promise<void> = Promise.resolve();

  const save = async (isComplete: boolean): Promise<void> => {
    const started = performance.now();
    try {
      const state = await dumpState();
      await store.write(chain, { ...facts, head: head(), isComplete, state });
    } catch (error) {
      logger.warn({ chain, forkId: facts.id, err: error }, 'the state of a fork could not be saved');
    }
    pauseMs = Math.max(debounceMs, pausePerSaving * (performance.now() - started));
  };
  const stop = async (): Promise<void> => {
    isStopped = true;
    clearTimeout(timer);
    await saving;
  };

  return {
    stop,
    markChanged() {
      if (isStopped) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        saving = saving.then(() => save(false));
      }, pauseMs).unref();
    },
    async complete() {
      await stop();
      await save(true);
    },
  };
}
