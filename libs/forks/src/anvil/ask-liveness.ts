import { ForkNotRunningError } from '@yield-vault/protocol';
import { errors } from 'undici';
import type { ForkRequest } from '../rpc/create-fork-request.js';
import { systemContracts } from './system-storage.js';

/** Ask whether a node answers at all. */
export function doesAnswer(ask: ForkRequest, deadlineMs: number): Promise<boolean> {
  return ask('web3_clientVersion', [], { deadlineMs }).then(
    () => true,
    () => false,
  );
}

/**
 * Ask whether a node gets at its state. A call that runs keeps blocks from being mined, and a block that waits keeps
 * every other call from the state, while `web3_clientVersion` and `eth_blockNumber` are answered all the same.
 *
 * @returns true also when the node answers with an error, or is gone, which shows elsewhere
 */
export function doesWork(ask: ForkRequest, deadlineMs: number): Promise<boolean> {
  // Of an account that every fork has read already: its chain may be silent.
  return ask('eth_getBalance', [systemContracts[0], 'latest'], { deadlineMs }).then(
    () => true,
    (error: unknown) =>
      !(error instanceof ForkNotRunningError && error.cause instanceof errors.HeadersTimeoutError),
  );
}
