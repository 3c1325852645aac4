import type { AnvilProcess } from '@yield-vault/anvil';
import { ForkNotRunningError } from '@yield-vault/protocol';
import { bulkhead } from 'cockatiel';
import { numberToHex, type Hex } from 'viem';
import type { ForkLogger, LaunchedFork } from '../ports.js';
import { createForkRequest, type ForkRequest } from '../rpc/create-fork-request.js';
import type { JsonPoster } from '../rpc/create-json-poster.js';
import type { ForkChain } from '../types.js';
import { doesAnswer, doesWork } from './ask-liveness.js';
import { sendAs } from './send-as.js';
import { setClock } from './set-clock.js';
import { watchLiveness } from './watch-liveness.js';

/** How often a fork is asked whether it lives, and how long it may take to answer. */
export interface Liveness {
  readonly everyMs: number;
  readonly deadlineMs: number;
}

/** Make a fork of a running Anvil. One that is alive and does not answer, or stands still, is ended. */
export function createAnvilFork(options: {
  readonly chain: Pick<ForkChain, 'key'>;
  readonly id: string;
  readonly anvil: AnvilProcess;
  readonly forkBlock: bigint;
  readonly poster: JsonPoster;
  readonly liveness: Liveness;
  /** How often it is asked for its state, and how long that may take. Without it, standing still is no end. */
  readonly standstill?: Liveness;
  readonly logger: ForkLogger;
}): LaunchedFork {
  const { chain, id, anvil, forkBlock, poster, liveness, standstill, logger } = options;
  const { rpcUrl } = anvil;
  let gone: string | undefined;
  let isDestroyed = false;
  let hang: string | undefined;

  const ask = createForkRequest({ chain: chain.key, rpcUrl, poster });
  const request: ForkRequest = (method, params, deadline) => {
    if (gone === undefined) return ask(method, params, deadline);
    return Promise.reject(
      new ForkNotRunningError({
        detail: `The fork ${id} of ${chain.key} is gone: it ${gone}.`,
        details: { chain: chain.key, forkId: id },
        retryAfterSeconds: 1,
      }),
    );
  };

  const endAs = (how: string) => (): void => {
    hang = how;
    logger.warn({ chain: chain.key, forkId: id, how }, 'a fork does not answer and is ended');
    void anvil.kill();
  };
  const watches = [
    watchLiveness(
      () => doesAnswer(ask, liveness.deadlineMs),
      liveness.everyMs,
      endAs(`did not answer for ${String(liveness.deadlineMs)} ms`),
    ),
    standstill &&
      watchLiveness(
        () => doesWork(ask, standstill.deadlineMs),
        standstill.everyMs,
        endAs(`stood still for ${String(standstill.deadlineMs)} ms`),
      ),
  ];
  const ended = new Promise<string>((resolve) => {
    void anvil.ended.then((how) => {
      for (const stop of watches) stop?.();
      gone = hang ?? how;
      if (!isDestroyed) resolve(gone);
    });
  });
  // One at a time: Anvil would give the same nonce to two of one sender, and adds to a balance by reading and setting it.
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
    async increaseTime(seconds) {
      await request('evm_increaseTime', [numberToHex(seconds)]);
      await request('evm_mine');
    },
    snapshot: async () => String(await request('evm_snapshot')),
    revert: async (snapshotId) => (await request('evm_revert', [snapshotId])) === true,
    async addEth(address, wei) {
      await inTurn.execute(() => request('anvil_addBalance', [address, numberToHex(wei)]));
    },
    async setTokenBalance(token, address, baseUnits) {
      await request('anvil_dealERC20', [address, token, numberToHex(baseUnits)]);
    },
    async setCode(address, code) {
      await request('anvil_setCode', [address, code]);
    },
    async setStorageAt(address, slot, value) {
      await request('anvil_setStorageAt', [address, slot, value]);
    },
    dumpState: async () => (await request('anvil_dumpState')) as Hex,
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
