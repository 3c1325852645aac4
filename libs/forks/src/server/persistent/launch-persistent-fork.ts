import { randomBytes } from 'node:crypto';
import { maxBigInt, UpstreamUnavailableError, type LoggerPort } from '@yield-vault/protocol';
import { numberToHex, type Hex } from 'viem';
import { z } from 'zod';
import type { ForkChain } from '../../types.js';
import { newForkId } from '../fork/as-fork.js';
import type { AnvilFork } from '../fork/create-anvil-fork.js';
import type { AnvilLauncher } from '../fork/create-anvil-launcher.js';
import { createFunder } from '../fork/create-funder.js';
import type { SavedFork, StateStore } from './fork-state.js';
import { provisionFork } from './provision-fork.js';
import { runPersistentFork, type RunningFork } from './run-persistent-fork.js';
import { unseenBlocks } from './watch-blocks.js';

/** What the persistent fork of a chain is made of. */
export interface PersistentForkOptions {
  readonly chain: ForkChain;
  readonly launcher: Pick<AnvilLauncher, 'launch'>;
  readonly store: StateStore | undefined;
  readonly logger: LoggerPort;
  /** Unix milliseconds. */
  readonly now: () => number;
}

interface Launch extends PersistentForkOptions {
  /** The highest block number that clients of this chain's fork may have seen. It must not go back. */
  readonly highest: bigint;
  readonly signal: AbortSignal;
}

interface StartedFork {
  readonly anvil: AnvilFork;
  readonly id: string;
  readonly createdAt: number;
}

const blockSchema = z.object({ hash: z.string() as unknown as z.ZodType<Hex> });

// A single request for all blocks of a long-lived fork could exceed the deadline of a request.
const blocksPerRequest = 1_000n;

/** Launch the persistent fork of a chain, ready for wallets. A saved state that cannot be used is set aside. */
export async function launchPersistentFork(launch: Launch): Promise<RunningFork> {
  const { store, chain, highest, signal } = launch;
  const saved = await store?.read(chain.key, chain.chainId);
  if (!store || !saved) return startNew(launch, highest);
  // After a kill, clients may have seen more than the file knows.
  const shown = maxBigInt(highest, saved.isComplete ? saved.head : saved.head + unseenBlocks);
  let loaded: StartedFork | undefined;
  try {
    loaded = await load(launch, store, saved);
    return await makeReady(launch, loaded, shown);
  } catch (error) {
    // The saved state is not to blame.
    if (error instanceof UpstreamUnavailableError || signal.aborted) throw error;
    // If the state was never loaded, the chain may be another one, and old block numbers mean nothing.
    const running = await startNew(launch, loaded ? shown : highest);
    await store.setAside(chain.key, error instanceof Error ? error.message : String(error));
    return running;
  }
}

async function startNew(launch: Launch, shown: bigint): Promise<RunningFork> {
  const { chain, launcher, signal, now } = launch;
  const id = newForkId(chain.key);
  const anvil = await launcher.launch(chain, { id, signal });
  return makeReady(launch, { anvil, id, createdAt: now() }, shown);
}

/** @throws {Error} the block of the saved fork was replaced, or the state cannot be loaded */
async function load(
  { chain, launcher, signal }: Launch,
  store: StateStore,
  saved: SavedFork,
): Promise<StartedFork> {
  const id = saved.isComplete ? saved.id : newForkId(chain.key);
  const anvil = await launcher.launch(chain, { id, block: saved.forkBlock, signal });
  try {
    if ((await readForkBlockHash(anvil)) !== saved.forkBlockHash) {
      throw new Error('the chain has another block there now');
    }
    await anvil.loadState(saved.state);
    // An unused address has to be read from the chain, which may no longer keep a state that old.
    await anvil.request('eth_getBalance', [`0x${randomBytes(20).toString('hex')}`, 'latest']);
    // A state counts as complete only once: from here on the file is out of date.
    await store.write(chain.key, { ...saved, id, isComplete: false });
    return { anvil, id, createdAt: saved.createdAt };
  } catch (error) {
    await anvil.destroy();
    throw error;
  }
}

/** Provision a fork and run it. It is destroyed when that fails. */
async function makeReady(
  launch: Launch,
  { anvil, id, createdAt }: StartedFork,
  shown: bigint,
): Promise<RunningFork> {
  const { chain, signal } = launch;
  // Pending requests then fail at once.
  const abort = () => void anvil.destroy().catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    await provisionFork(anvil, chain, createFunder(anvil, chain));
    const head = await mineUpTo(anvil, shown);
    const forkBlockHash = await readForkBlockHash(anvil);
    return runPersistentFork(anvil, { id, createdAt, forkBlockHash, head }, launch);
  } catch (error) {
    await anvil.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Mine until the block number is at least the given one. */
async function mineUpTo(anvil: AnvilFork, number: bigint): Promise<bigint> {
  const readHead = async () => BigInt((await anvil.request('eth_blockNumber')) as Hex);
  for (let missing = number - (await readHead()); missing > 0n; missing -= blocksPerRequest) {
    await anvil.mine(Number(missing < blocksPerRequest ? missing : blocksPerRequest));
  }
  return readHead();
}

async function readForkBlockHash(anvil: AnvilFork): Promise<Hex> {
  const block = await anvil.request('eth_getBlockByNumber', [numberToHex(anvil.forkBlock), false]);
  return blockSchema.parse(block).hash;
}
