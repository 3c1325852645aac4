import type { Fork } from '@yield-vault/forks';
import { InvalidParametersError } from '@yield-vault/protocol';

// Methods that move the clock of a node, or revert blocks.
const timeTravel =
  /^(evm|anvil|hardhat)_(increaseTime|setTime|setNextBlockTimestamp|setBlockTimestampInterval|revert|reset|rollback|reorg|loadState)$/;
const mining = /^(evm|anvil|hardhat)_mine(Detailed|_detailed)?$/;

/**
 * Refuse to move the clock of a persistent fork on which payments settle: payments would expire, or be reverted.
 * Ephemeral forks are not restricted.
 */
export function keepClock(fork: Fork): Fork {
  if (fork.kind !== 'persistent') return fork;
  const refuse = (): Promise<never> =>
    Promise.reject(
      new InvalidParametersError({
        detail: `Payments settle on the persistent fork of ${fork.chain}, so its clock cannot be moved.`,
        nextAction: 'Create an ephemeral fork and move the clock there.',
        details: { chain: fork.chain },
      }),
    );
  return {
    ...fork,
    request: (method, params) => (movesClock(method, params) ? refuse() : fork.request(method, params)),
  };
}

/** Mining methods may also take a time or an interval. */
function movesClock(method: string, params: readonly unknown[] = []): boolean {
  if (!mining.test(method)) return timeTravel.test(method);
  const times = /^(anvil|hardhat)_mine$/.test(method) ? params.slice(1) : params;
  return !times.every(isNoTime);
}

function isNoTime(param: unknown): boolean {
  const given = param ?? 0;
  return given === 0 || (typeof given === 'string' && /^(0x)?0+$/.test(given));
}
