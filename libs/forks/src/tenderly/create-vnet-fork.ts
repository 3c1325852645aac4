import { bulkhead } from 'cockatiel';
import { numberToHex, RpcRequestError } from 'viem';
import { z } from 'zod';
import type { LaunchedFork } from '../ports.js';
import { readAnswer } from './read-answer.js';
import { sendAs } from './send-as.js';

/** A fork that can be let go of. */
export type VnetFork = LaunchedFork & Required<Pick<LaunchedFork, 'detach'>>;

type Known = Pick<VnetFork, 'rpcUrl' | 'forkBlock' | 'request' | 'ended' | 'detach' | 'destroy'>;

const snapshotId = z.string().min(1);

/** Put the admin methods of Tenderly behind the ones that every fork has. */
export function createVnetFork(vnet: Known): VnetFork {
  const { request } = vnet;
  // One at a time: that adding is atomic is documented nowhere.
  const inTurn = bulkhead(1, Infinity);
  return {
    ...vnet,
    sendAs: (transaction) => sendAs(request, transaction),
    async mine(blocks) {
      if (blocks > 0) await request('evm_increaseBlocks', [numberToHex(blocks)]);
    },
    async increaseTime(seconds) {
      await request('evm_increaseTime', [numberToHex(seconds)]);
    },
    snapshot: async () => readAnswer(snapshotId, await request('evm_snapshot')),
    revert: (id) => request('evm_revert', [id]).then((answer) => answer === true, toFalse),
    async addEth(address, wei) {
      await inTurn.execute(() => request('tenderly_addBalance', [[address], numberToHex(wei)]));
    },
    async setTokenBalance(token, address, baseUnits) {
      await request('tenderly_setErc20Balance', [token, address, numberToHex(baseUnits)]);
    },
    async setCode(address, code) {
      await request('tenderly_setCode', [address, code]);
    },
    async setStorageAt(address, slot, value) {
      await request('tenderly_setStorageAt', [address, slot, value]);
    },
  };
}

// What an unknown snapshot is answered with is not documented; every refusal of the call means that it is not there.
function toFalse(error: unknown): false {
  if (error instanceof RpcRequestError) return false;
  throw error;
}
