import { readFromNode } from '@yield-vault/chains';
import { decodeRevertReason, entryPointV08Abi } from '@yield-vault/contracts';
import { findError, sameHex } from '@yield-vault/protocol';
import { getAbiItem, parseEventLogs, type Hex, type Log } from 'viem';
import type { ExecutionChain } from '../ports.js';
import type { Inclusion } from '../types.js';

// With the whole ABI, each read would hash every event.
const operationEvents = [
  getAbiItem({ abi: entryPointV08Abi, name: 'BeforeExecution' }),
  getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationEvent' }),
  getAbiItem({ abi: entryPointV08Abi, name: 'UserOperationRevertReason' }),
  getAbiItem({ abi: entryPointV08Abi, name: 'PostOpRevertReason' }),
] as const;

/**
 * Read a user operation's part of a transaction from our own node.
 *
 * @returns `undefined` when the node does not have the transaction, or the operation is not in it
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function readInclusion(
  chain: ExecutionChain,
  userOpHash: Hex,
  txHash: Hex,
): Promise<Inclusion | undefined> {
  const receipt = await readFromNode(
    chain,
    chain.rpc.getTransactionReceipt({ hash: txHash }).catch((error: unknown) => {
      if (findError(error, 'TransactionReceiptNotFoundError')) return undefined;
      throw error;
    }),
  );
  if (!receipt) return undefined;
  const events = parseEventLogs({
    abi: operationEvents,
    logs: receipt.logs.filter((log) => sameHex(log.address, chain.entryPoint)),
  });
  const end = events.find(
    (event) => event.eventName === 'UserOperationEvent' && sameHex(event.args.userOpHash, userOpHash),
  );
  if (end?.eventName !== 'UserOperationEvent') return undefined;

  // The entry point runs operations one after the other; each ends with its event.
  const boundary = events
    .filter(({ eventName }) => eventName === 'BeforeExecution' || eventName === 'UserOperationEvent')
    .filter(({ logIndex }) => logIndex < end.logIndex)
    .at(-1);
  const failure = end.args.success ? undefined : failureOf(userOpHash, events);
  return {
    txHash,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    success: end.args.success,
    gasUsed: end.args.actualGasUsed,
    logs: between(receipt.logs, boundary?.logIndex ?? -1, end.logIndex),
    bundleLogs: receipt.logs,
    failure,
  };
}

type EntryPointEvent = ReturnType<typeof parseEventLogs<typeof operationEvents>>[number];

function failureOf(userOpHash: Hex, events: readonly EntryPointEvent[]): Inclusion['failure'] {
  for (const event of events) {
    if (event.eventName === 'PostOpRevertReason' && sameHex(event.args.userOpHash, userOpHash)) {
      return { revertReason: decodeRevertReason(event.args.revertReason), aaCode: 'AA50' };
    }
    if (event.eventName === 'UserOperationRevertReason' && sameHex(event.args.userOpHash, userOpHash)) {
      return { revertReason: decodeRevertReason(event.args.revertReason) };
    }
  }
  // The entry point emits no reason when there are no bytes: out of gas, or a bare revert.
  return { revertReason: 'NO_REASON' };
}

function between(logs: readonly Log[], after: number, before: number): readonly Log[] {
  return logs.filter(({ logIndex }) => logIndex !== null && logIndex > after && logIndex < before);
}
