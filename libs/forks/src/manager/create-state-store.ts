import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { ForkLogger } from '../ports.js';
import { parseJson } from '../rpc/parse-json.js';

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
  /** The highest block number that was shown. */
  head: wholeNumber,
  /** Nothing happened on the fork after this was written. */
  isComplete: z.boolean(),
  state: hex,
});

/** A persistent fork as it is kept on disk. */
export type SavedFork = Omit<z.infer<typeof savedSchema>, 'version'>;

/** Keeps the state of persistent forks over restarts. One process at a time may use a folder. */
export interface StateStore {
  /** A file that cannot be used is set aside with a warning. */
  read(chain: string, chainId: number): Promise<SavedFork | undefined>;
  /** Replaces what is there at once or not at all. */
  write(chain: string, fork: SavedFork): Promise<void>;
  /** Keep a file for inspection, out of the way. Never rejects: the fork that takes its place runs already. */
  setAside(chain: string, reason: string): Promise<void>;
  remove(chain: string): Promise<void>;
}

/** Make a store in a folder, which is created when it is missing. */
export function createStateStore(directory: string, logger: ForkLogger): StateStore {
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
