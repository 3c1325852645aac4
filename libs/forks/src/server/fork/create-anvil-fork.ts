import { ForkNotRunningError, isNamed, type LoggerPort } from '@yield-vault/protocol';
import { bulkhead } from 'cockatiel';
import { numberToHex, type Address, type Hex, type TransactionReceipt } from 'viem';
import { z } from 'zod';
import type { Fork } from '../../types.js';
import type { AnvilProcess } from '../anvil/index.js';
import { createForkRequest, type ForkRequest } from './create-fork-request.js';
import { sendAs, type UnsignedTransaction } from './send-as.js';
import { systemContracts } from './system-storage.js';

/** An Anvil that forks a chain at a block, with nothing provisioned and without a record. */
export interface AnvilFork extends Pick<Fork, 'rpcUrl' | 'request' | 'mine'> {
  readonly forkBlock: bigint;
  /** Send a transaction from any account and wait for its receipt, reverted or not. */
  sendAs(transaction: UnsignedTransaction): Promise<TransactionReceipt>;
  /** Add ETH to a balance, atomically. */
  addEth(address: Address, wei: bigint): Promise<void>;
  /** Load a dumped state, and set the clock to real time. */
  loadState(state: Hex): Promise<void>;
  /** Resolves with a reason when the fork ends by itself. */
  readonly ended: Promise<string>;
  destroy(): Promise<void>;
}

/** How often a fork is checked, and how long it may take to respond. */
export interface Liveness {
  readonly everyMs: number;
  readonly deadlineMs: number;
}

/** Make a fork of a running Anvil. An Anvil that does not respond, or cannot reach its state, is killed. */
export function createAnvilFork(options: {
  /** Chain key. */
  readonly chain: string;
  readonly id: string;
  readonly anvil: AnvilProcess;
  readonly forkBlock: bigint;
  readonly liveness: Liveness;
  /** The same for its state. */
  readonly standstill: Liveness;
  readonly logger: LoggerPort;
}): AnvilFork {
  const { chain, id, anvil, forkBlock, liveness, standstill, logger } = options;
  const { rpcUrl } = anvil;
  let gone: string | undefined;
  let isDestroyed = false;
  let hang: string | undefined;

  const send = createForkRequest(chain, rpcUrl);
  const request: ForkRequest = (method, params, deadline) => {
    if (gone === undefined) return send(method, params, deadline);
    return Promise.reject(
      new ForkNotRunningError({
        detail: `The fork ${id} of ${chain} is gone: it ${gone}.`,
        details: { chain, forkId: id },
        retryAfterSeconds: 1,
      }),
    );
  };

  const killBecauseIt = (how: string) => (): void => {
    hang = how;
    logger.warn({ chain, forkId: id, how }, 'a fork does not respond and is killed');
    void anvil.kill();
  };
  const checks = [
    repeatCheck(
      () => responds(send, liveness.deadlineMs),
      liveness.everyMs,
      killBecauseIt(`did not respond for ${String(liveness.deadlineMs)} ms`),
    ),
    repeatCheck(
      () => reachesState(send, standstill.deadlineMs),
      standstill.everyMs,
      killBecauseIt(`stood still for ${String(standstill.deadlineMs)} ms`),
    ),
  ];
  const ended = new Promise<string>((resolve) => {
    void anvil.ended.then((how) => {
      for (const stop of checks) stop();
      gone = hang ?? how;
      if (!isDestroyed) resolve(gone);
    });
  });
  // One at a time: Anvil would give two transactions of one sender the same nonce, and its addition to a balance is a
  // read and a write.
  const inTurn = bulkhead(1, Infinity);

  return {
    rpcUrl,
    forkBlock,
    ended,
    request: (method, params) => request(method, params),
    sendAs: (transaction) => inTurn.execute(() => sendAs(request, transaction)),
    async mine(blocks) {
      if (blocks > 0) await request('anvil_mine', [numberToHex(blocks)]);
    },
    async addEth(address, wei) {
      await inTurn.execute(() => request('anvil_addBalance', [address, numberToHex(wei)]));
    },
    async loadState(state) {
      await request('anvil_loadState', [state]);
      await setClock(request);
    },
    async destroy() {
      isDestroyed = true;
      await anvil.kill();
    },
  };
}

const blockSchema = z.object({ timestamp: z.string() });

/** Set the clock of a node to real time, unless its newest block is later. */
export async function setClock(request: ForkRequest): Promise<void> {
  const block = blockSchema.parse(await request('eth_getBlockByNumber', ['latest', false]));
  const now = Math.floor(Date.now() / 1_000);
  await request('evm_setTime', [Math.max(now, Number(block.timestamp))]);
}

function responds(send: ForkRequest, deadlineMs: number): Promise<boolean> {
  return send('web3_clientVersion', [], { deadlineMs }).then(
    () => true,
    () => false,
  );
}

/**
 * Check whether a node reaches its state. A call that runs for long blocks mining, and a block that waits blocks every
 * other access to the state. `web3_clientVersion` and `eth_blockNumber` still respond then.
 *
 * @returns true also when the node responds with an error or is gone, which other checks notice
 */
function reachesState(send: ForkRequest, deadlineMs: number): Promise<boolean> {
  // Every fork has read this account already, so a silent upstream does not delay the response.
  return send('eth_getBalance', [systemContracts[0], 'latest'], { deadlineMs }).then(
    () => true,
    (error: unknown) => !(error instanceof ForkNotRunningError && isNamed(error.cause, 'TimeoutError')),
  );
}

/**
 * Repeat a check until it fails.
 *
 * @returns A function that stops it.
 */
function repeatCheck(check: () => Promise<boolean>, everyMs: number, onFailure: () => void): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    timer = setTimeout(() => void run(), everyMs).unref();
  };
  const run = async (): Promise<void> => {
    const passed = await check();
    if (isStopped) return;
    if (passed) schedule();
    else onFailure();
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
