import { asUpstreamError, readBlockPieces } from '@yield-vault/chains';
import { maxBigInt, sameHex } from '@yield-vault/protocol';
import { parseAbi, parseEventLogs, type Address, type Hex, type Log } from 'viem';
import { alreadyUsed, ranOut } from './adapters/reasons.js';
import { unavailable } from './errors.js';
import { skewSeconds } from './read-payment.js';
import type { Authorization, PaymentTerms } from './types.js';

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [usedEvent, canceledEvent] = [abi[1], abi[2]];

// Most transfers are a few blocks old, and nodes limit ranges.
const firstBlocks = 64n;
// A block's timestamp may lag behind the clock that admitted the authorization.
const blockDelaySeconds = 60;

/** What identifies the transfer of a payment on the chain. */
export interface ExpectedTransfer {
  readonly authorization: Pick<Authorization, 'from' | 'value' | 'validBefore' | 'nonce'>;
  readonly terms: Pick<PaymentTerms, 'chain' | 'payTo' | 'maxTimeoutSeconds'>;
}

/** State of an authorization on the chain. */
export type TransferLocation =
  /** It transferred the amount to `payTo`. */
  | { readonly kind: 'paid'; readonly transaction: Hex; readonly sender: Address }
  /** It can never pay us: it was cancelled, spent elsewhere, or expired unused. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** It is used, but the node shows no event for it. */
  | { readonly kind: 'unclear' }
  /** It is unused and still valid. */
  | { readonly kind: 'open' };

/**
 * Read the state of an authorization from the chain.
 *
 * @param mostBlocks - newest blocks that are searched for the transfer
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function locateTransfer(
  expected: ExpectedTransfer,
  mostBlocks = 2_000n,
): Promise<TransferLocation> {
  const { authorization, terms } = expected;
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
    const use = await findUse(expected, head, mostBlocks);
    if (!use) return { kind: 'unclear' };
    if (use.eventName === 'AuthorizationCanceled') return { kind: 'lost', reason: alreadyUsed };
    const { logs, from: sender } = await rpc.getTransactionReceipt({ hash: use.transactionHash });
    return isTransferOf(expected, use.logIndex, logs)
      ? { kind: 'paid', transaction: use.transactionHash, sender }
      : { kind: 'lost', reason: alreadyUsed };
  } catch (error) {
    throw asUpstreamError(error, `rpc:${key}`) ?? unavailable(`rpc:${key}`, 'the response is invalid', error);
  }
}

/** Search for the event of a used authorization, newest blocks first, back to the earliest time it was acceptable. */
async function findUse({ authorization, terms }: ExpectedTransfer, head: bigint, mostBlocks: bigint) {
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
  const range = {
    fromBlock: maxBigInt(head - mostBlocks + 1n, 0n),
    toBlock: head,
    initialBlocks: firstBlocks,
  };
  for await (const pieces of readBlockPieces(read, { ...range, newestFirst: true }))
    for (const { use, isEarliest } of pieces) if (use || isEarliest) return use;
  return undefined;
}

/**
 * The token emits the transfer right after `AuthorizationUsed`. Only that transfer counts: the transaction may contain
 * others, and the payer may have signed the same nonce for another payee.
 */
function isTransferOf(
  { authorization, terms }: ExpectedTransfer,
  usedAt: number,
  logs: readonly Log[],
): boolean {
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
