import { randomBytes } from 'node:crypto';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { numberToHex, type Hex } from 'viem';
import { z } from 'zod';
import { createFunder } from '../funding/create-funder.js';
import type { ForkLauncher, LaunchedFork } from '../ports.js';
import type { ForkChain } from '../types.js';
import type { SavedFork, StateStore } from './create-state-store.js';
import { provisionFork } from './provision-fork.js';

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
  readonly launcher: ForkLauncher;
  readonly store: StateStore | undefined;
  /** Go on from what is saved, where that still holds; else start anew. */
  readonly takeUp: boolean;
  /** What is saved of an older fork is dropped. */
  readonly maxAgeMs: number;
  /** The highest block number that the address of this fork has shown; it must not go back. */
  readonly highest: bigint;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

const blockSchema = z.object({ hash: z.string() as unknown as z.ZodType<Hex> });

// Of a process that was killed: what it showed after it saved for the last time.
const unsavedBlocks = 64n;
// Blocks that a request mines: all of a long-lived fork at once can take longer than a request may.
const blocksPerRequest = 1_000n;

/** Make an id for a fork. */
export function newForkId(chain: string): string {
  return `${chain}-${randomBytes(6).toString('hex')}`;
}

/**
 * Launch the persistent fork of a chain and make it ready: the earlier one, or a new one where there is none or it
 * cannot be used.
 */
export async function launchPersistentFork(launch: PersistentLaunch): Promise<ReadyFork> {
  const { highest, signal } = launch;
  const earlier = launch.takeUp ? ((await resume(launch)) ?? (await restore(launch))) : undefined;
  if (!earlier) return startAnew(launch, highest);
  const shown = highest < earlier.head ? earlier.head : highest;
  const tried = await tryEarlier(launch, earlier, shown);
  if ('ready' in tried) return tried.ready;
  const { error, didStart } = tried;
  try {
    if (error instanceof UpstreamUnavailableError || signal.aborted) throw error;
    // Of a chain that is another one now, the numbers mean nothing.
    const ready = await startAnew(launch, didStart ? shown : highest);
    await earlier.reject(error instanceof Error ? error.message : String(error));
    return ready;
  } catch (unavailable) {
    // A chain on which there can be no fork at all says nothing about the earlier one.
    await earlier.leave();
    throw unavailable;
  }
}

type Launched = Pick<ReadyFork, 'launched' | 'id' | 'createdAt'>;

/** A fork of an earlier process, or of this one before it died. */
interface EarlierFork {
  /** Bring it to life, as far as it is not. */
  readonly open: () => Promise<Launched>;
  /** The highest block number that it has shown, as far as that is known. */
  readonly head: bigint;
  /** Whether it goes on while nobody uses it, so that a failure need not end it. */
  readonly outlives: boolean;
  /** Leave it for another attempt. */
  leave(): Promise<void>;
  /** Give it up. */
  reject(reason: string): Promise<void>;
}

async function tryEarlier(
  launch: PersistentLaunch,
  { open, outlives }: EarlierFork,
  shown: bigint,
): Promise<{ readonly ready: ReadyFork } | { readonly error: unknown; readonly didStart: boolean }> {
  let didStart = false;
  try {
    const opened = await open();
    didStart = true;
    return { ready: await (outlives ? makeReady : makeReadyOrEnd)(launch, opened, shown) };
  } catch (error) {
    return { error, didStart };
  }
}

async function startAnew(launch: PersistentLaunch, shown: bigint): Promise<ReadyFork> {
  const { chain, launcher, signal, now } = launch;
  const id = newForkId(chain.key);
  const launched = await launcher.launch(chain, { id, kind: 'persistent', signal });
  return makeReadyOrEnd(launch, { launched, id, createdAt: now() }, shown);
}

/** @returns undefined when there is none, or it is too old */
async function resume({
  chain,
  launcher,
  maxAgeMs,
  now,
}: PersistentLaunch): Promise<EarlierFork | undefined> {
  const resumed = await launcher.resume?.(chain);
  if (!resumed) return undefined;
  const { launched } = resumed;
  const destroy = () => launched.destroy();
  if (now() - resumed.createdAt > maxAgeMs) {
    await destroy();
    return undefined;
  }
  return {
    open: () => Promise.resolve(resumed),
    head: 0n,
    outlives: true,
    leave: () => (launched.detach ?? destroy)(),
    reject: destroy,
  };
}

/** @returns undefined when nothing is saved, or it is too old */
async function restore(launch: PersistentLaunch): Promise<EarlierFork | undefined> {
  const { store, chain, maxAgeMs, now } = launch;
  const saved = await store?.read(chain.key, chain.chainId);
  if (!store || !saved) return undefined;
  if (now() - saved.createdAt > maxAgeMs) {
    await store.remove(chain.key);
    return undefined;
  }
  const isExact = saved.isComplete || launch.highest >= saved.head;
  return {
    open: () => load(launch, store, saved),
    head: isExact ? saved.head : saved.head + unsavedBlocks,
    outlives: false,
    leave: () => Promise.resolve(),
    reject: (reason) => store.setAside(chain.key, reason),
  };
}

/** @throws {Error} the chain is not what it was, or the state cannot be loaded */
async function load(
  { chain, launcher, signal }: PersistentLaunch,
  store: StateStore,
  saved: SavedFork,
): Promise<Launched> {
  const id = saved.isComplete ? saved.id : newForkId(chain.key);
  const launched = await launcher.launch(chain, { id, kind: 'persistent', block: saved.forkBlock, signal });
  try {
    if ((await readForkBlockHash(launched)) !== saved.forkBlockHash) {
      throw new Error('the chain has another block there now');
    }
    await launched.loadState?.(saved.state);
    // An address that nobody used: it is read from the chain, which may not keep states that old.
    await launched.request('eth_getBalance', [`0x${randomBytes(20).toString('hex')}`, 'latest']);
    // What happens from here on is not in the file: it may be taken for complete once.
    await store.write(chain.key, { ...saved, id, isComplete: false });
    return { launched, id, createdAt: saved.createdAt };
  } catch (error) {
    await launched.destroy();
    throw error;
  }
}

async function makeReadyOrEnd(
  launch: PersistentLaunch,
  started: Launched,
  shown: bigint,
): Promise<ReadyFork> {
  const end = () => started.launched.destroy();
  // What waits for the fork then fails at once.
  const abort = () => void end().catch(() => undefined);
  launch.signal.addEventListener('abort', abort, { once: true });
  try {
    launch.signal.throwIfAborted();
    return await makeReady(launch, started, shown);
  } catch (error) {
    await end();
    throw error;
  } finally {
    launch.signal.removeEventListener('abort', abort);
  }
}

async function makeReady(
  { chain }: PersistentLaunch,
  { launched, id, createdAt }: Launched,
  shown: bigint,
): Promise<ReadyFork> {
  await provisionFork(launched, chain, createFunder(launched, chain));
  const head = await passHead(launched, shown);
  return { launched, id, createdAt, head, forkBlockHash: await readForkBlockHash(launched) };
}

/** Mine until block numbers go on from what was shown, also on a fork of an older or shorter chain. */
async function passHead(fork: LaunchedFork, shown: bigint): Promise<bigint> {
  for (let missing = shown - (await readHead(fork)); missing > 0n; missing -= blocksPerRequest) {
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
