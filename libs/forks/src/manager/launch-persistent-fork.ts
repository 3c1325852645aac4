import { randomBytes } from 'node:crypto';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { numberToHex, type Hex } from 'viem';
import { z } from 'zod';
import type { AnvilLauncher } from '../anvil/create-anvil-launcher.js';
import { createFunder } from '../funding/create-funder.js';
import type { LaunchedFork } from '../ports.js';
import type { ForkChain } from '../types.js';
import type { SavedFork, StateStore } from './fork-state.js';
import { provisionFork } from './provision-fork.js';
import { unseenBlocks } from './watch-blocks.js';

/** A fork that is ready for wallets. */
export interface ReadyFork {
  readonly launched: LaunchedFork;
  readonly id: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly forkBlockHash: Hex;
  readonly head: bigint;
}

export interface PersistentLaunch {
  readonly chain: ForkChain;
  readonly launcher: Pick<AnvilLauncher, 'launch'>;
  readonly store: StateStore | undefined;
  /** Restore the saved state when it is still valid. */
  readonly restore: boolean;
  /** The saved state of an older fork is removed. */
  readonly maxAgeMs: number;
  /** The highest block number that clients of this chain's fork may have seen. It must not go back. */
  readonly highest: bigint;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

type StartedFork = Pick<ReadyFork, 'launched' | 'id' | 'createdAt'>;

const blockSchema = z.object({ hash: z.string() as unknown as z.ZodType<Hex> });

// A single request for all blocks of a long-lived fork could exceed the deadline of a request.
const blocksPerRequest = 1_000n;

/** Make an id for a fork. */
export function newForkId(chain: string): string {
  return `${chain}-${randomBytes(6).toString('hex')}`;
}

/** Launch the persistent fork of a chain and make it ready. A saved state that cannot be used is set aside. */
export async function launchPersistentFork(launch: PersistentLaunch): Promise<ReadyFork> {
  const { store, chain, highest, signal } = launch;
  const saved = launch.restore ? await readSaved(launch) : undefined;
  if (!store || !saved) return startNew(launch, highest);
  // After a kill, clients may have seen more than the file knows.
  const shown = max(highest, saved.isComplete ? saved.head : saved.head + unseenBlocks);
  let loaded: StartedFork | undefined;
  try {
    loaded = await load(launch, store, saved);
    return await makeReadyOrDestroy(launch, loaded, shown);
  } catch (error) {
    // The saved state is not to blame.
    if (error instanceof UpstreamUnavailableError || signal.aborted) throw error;
    // If the state was never loaded, the chain may be another one, and old block numbers mean nothing.
    const ready = await startNew(launch, loaded ? shown : highest);
    await store.setAside(chain.key, error instanceof Error ? error.message : String(error));
    return ready;
  }
}

/** @returns undefined when nothing is saved, or the saved fork is too old */
async function readSaved({ store, chain, maxAgeMs, now }: PersistentLaunch): Promise<SavedFork | undefined> {
  const saved = await store?.read(chain.key, chain.chainId);
  if (!saved || now() - saved.createdAt <= maxAgeMs) return saved;
  await store?.remove(chain.key);
  return undefined;
}

async function startNew(launch: PersistentLaunch, shown: bigint): Promise<ReadyFork> {
  const { chain, launcher, signal, now } = launch;
  const id = newForkId(chain.key);
  const launched = await launcher.launch(chain, { id, signal });
  return makeReadyOrDestroy(launch, { launched, id, createdAt: now() }, shown);
}

/** @throws {Error} the block of the saved fork was replaced, or the state cannot be loaded */
async function load(
  { chain, launcher, signal }: PersistentLaunch,
  store: StateStore,
  saved: SavedFork,
): Promise<StartedFork> {
  const id = saved.isComplete ? saved.id : newForkId(chain.key);
  const launched = await launcher.launch(chain, { id, block: saved.forkBlock, signal });
  try {
    if ((await readForkBlockHash(launched)) !== saved.forkBlockHash) {
      throw new Error('the chain has another block there now');
    }
    await launched.loadState(saved.state);
    // An unused address has to be read from the chain, which may no longer keep a state that old.
    await launched.request('eth_getBalance', [`0x${randomBytes(20).toString('hex')}`, 'latest']);
    // A state counts as complete only once: from here on the file is out of date.
    await store.write(chain.key, { ...saved, id, isComplete: false });
    return { launched, id, createdAt: saved.createdAt };
  } catch (error) {
    await launched.destroy();
    throw error;
  }
}

async function makeReadyOrDestroy(
  { chain, signal }: PersistentLaunch,
  { launched, id, createdAt }: StartedFork,
  shown: bigint,
): Promise<ReadyFork> {
  // Pending requests then fail at once.
  const abort = () => void launched.destroy().catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    await provisionFork(launched, chain, createFunder(launched, chain));
    const head = await mineUpTo(launched, shown);
    return { launched, id, createdAt, head, forkBlockHash: await readForkBlockHash(launched) };
  } catch (error) {
    await launched.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Mine until the block number is at least the given one. */
async function mineUpTo(fork: LaunchedFork, number: bigint): Promise<bigint> {
  for (let missing = number - (await readHead(fork)); missing > 0n; missing -= blocksPerRequest) {
    await fork.mine(Number(missing < blocksPerRequest ? missing : blocksPerRequest));
  }
  return readHead(fork);
}

async function readHead(fork: LaunchedFork): Promise<bigint> {
  return BigInt((await fork.request('eth_blockNumber')) as Hex);
}

async function readForkBlockHash(fork: LaunchedFork): Promise<Hex> {
  const block = await fork.request('eth_getBlockByNumber', [numberToHex(fork.forkBlock), false]);
  return blockSchema.parse(block).hash;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
