import { asUpstreamError, readBlockPieces } from '@yield-vault/chains';
import { sameHex } from '@yield-vault/protocol';
import { parseAbi, parseEventLogs, type Hex, type Log } from 'viem';
import { unavailable } from '../errors.js';
import { alreadyUsed, ranOut } from '../facilitators/reasons.js';
import type { Payment } from '../types.js';
import { skewSeconds } from './check-window.js';

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [usedEvent, canceledEvent] = [abi[1], abi[2]];

// What is looked for is mostly a few blocks old, and nodes limit ranges.
const firstBlocks = 64n;
const mostBlocks = 2_000n;
// Blocks may be older by this than the clock by which authorizations are let in.
const blockDelaySeconds = 60;

/** What the chain says of an authorization. */
export type TransferLocation =
  /** It moved what it should to whom it should. */
  | { readonly kind: 'paid'; readonly transaction: Hex }
  /** It can never pay us any more: it was cancelled, spent on something else, or ran out unused. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** It is used, but the node shows no event of it. */
  | { readonly kind: 'unclear' }
  /** It is unused and may still be. */
  | { readonly kind: 'open' };

/**
 * Find out from the chain what became of an authorization, whoever used it.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function locateTransfer(payment: Payment): Promise<TransferLocation> {
  const { authorization, terms } = payment;
  const { rpc, asset, key } = terms.chain;
  const { from, nonce, validBefore } = authorization;
  try {
    const { number: head, timestamp } = await rpc.getBlock();
    const isUsed = await rpc.readContract({
      abi,
      address: asset.address,
      functionName: 'authorizationState',
      args: [from, nonce],
      blockNumber: head,
    });
    if (!isUsed) return timestamp >= validBefore ? { kind: 'lost', reason: ranOut } : { kind: 'open' };
    const use = await findUse(payment, head);
    if (!use) return { kind: 'unclear' };
    if (use.eventName === 'AuthorizationCanceled') return { kind: 'lost', reason: alreadyUsed };
    const { logs } = await rpc.getTransactionReceipt({ hash: use.transactionHash });
    return isTransferOf(payment, use.logIndex, logs)
      ? { kind: 'paid', transaction: use.transactionHash }
      : { kind: 'lost', reason: alreadyUsed };
  } catch (error) {
    throw (
      asUpstreamError(error, `rpc:${key}`) ?? unavailable(`rpc:${key}`, 'the answer is not understood', error)
    );
  }
}

/** Look for the event of an authorization that is used, newest blocks first, as far back as it could be let in. */
async function findUse({ authorization, terms }: Payment, head: bigint) {
  const { rpc, asset } = terms.chain;
  const { from, nonce, validBefore } = authorization;
  const search = { address: asset.address, args: { authorizer: from, nonce } };
  const earliest = validBefore - BigInt(terms.maxTimeoutSeconds + skewSeconds + blockDelaySeconds);
  const read = async (fromBlock: bigint, toBlock: bigint) => {
    const range = { ...search, fromBlock, toBlock };
    const [used, canceled, { timestamp }] = await Promise.all([
      rpc.getLogs({ ...range, event: usedEvent }),
      rpc.getLogs({ ...range, event: canceledEvent }),
      rpc.getBlock({ blockNumber: fromBlock }),
    ]);
    return [{ use: used[0] ?? canceled[0], isEarliest: timestamp < earliest }];
  };
  const range = { fromBlock: larger(head - mostBlocks + 1n, 0n), toBlock: head, initialBlocks: firstBlocks };
  for await (const pieces of readBlockPieces(read, { ...range, newestFirst: true }))
    for (const { use, isEarliest } of pieces) if (use || isEarliest) return use;
  return undefined;
}

const larger = (one: bigint, other: bigint) => (one > other ? one : other);

/**
 * The token says that an authorization is used right before it says what that moved. Only this one transfer counts:
 * the same transaction may well hold others, and the payer may have signed the nonce for somebody else too.
 */
function isTransferOf({ authorization, terms }: Payment, usedAt: number, logs: readonly Log[]): boolean {
  const next = logs.find(
    ({ address, logIndex }) =>
      logIndex !== null && logIndex > usedAt && sameHex(address, terms.chain.asset.address),
  );
  const [transfer] = parseEventLogs({ abi, eventName: 'Transfer', logs: next ? [next] : [] });
  return (
    transfer !== undefined &&
    sameHex(transfer.args.from, authorization.from) &&
    sameHex(transfer.args.to, terms.payTo) &&
    transfer.args.value === authorization.value
  );
}
