import type { Address } from 'viem';
import type { WalletPast } from './stored-pasts.js';
import type { ShareMovement } from './types.js';

/** How much of a wallet's history in one vault is stored. */
export interface Coverage {
  /** The stored movements without a gap before any of them. */
  readonly movements: readonly ShareMovement[];
  /** Whether these are all movements that made the balance. */
  readonly isComplete: boolean;
  /** Whether blocks before the follower must be read first, and nobody asked for them yet. */
  readonly needsPast: boolean;
}

/** The facts about a wallet and a vault at one block. */
export interface CoverageFacts {
  /** Lower case. */
  readonly vault: Address;
  /** Shares held at the block. */
  readonly balance: bigint;
  /** The stored movements of this vault up to the block. */
  readonly stored: readonly ShareMovement[];
  /** First block from which the follower stores events; `undefined` when it does not follow the vault yet. */
  readonly firstBlock: bigint | undefined;
  /** First block that can hold an event of a wallet. */
  readonly fromBlock: bigint;
  readonly past: WalletPast | undefined;
  /** Whether the follower has stored the events of the block, and few enough to be read. */
  readonly isReached: boolean;
}

/**
 * Judge whether the stored movements explain a balance: all earlier blocks were read, or the wallet held nothing when
 * the follower began. While the past is being read, the movements found there do not count: what happened between them
 * and the follower is unknown, and would turn up as a profit.
 */
export function judgeCoverage(facts: CoverageFacts): Coverage {
  const { vault, balance, stored, firstBlock, fromBlock, past, isReached } = facts;
  if (firstBlock === undefined) return { movements: [], isComplete: false, needsPast: false };
  const isBegun = past?.vaults.includes(vault) && past.lastBlock >= firstBlock - 1n;
  const isRead = firstBlock <= fromBlock || (past?.doneVaults.includes(vault) ?? false);
  const movements = isRead ? stored : stored.filter(({ blockNumber }) => blockNumber >= firstBlock);
  const net = movements.reduce((sum, { kind, shares }) => sum + (isIn(kind) ? shares : -shares), 0n);
  const isComplete = isReached && (isRead || balance === net);
  return { movements, isComplete, needsPast: isReached && !isComplete && !isBegun };
}

const isIn = (kind: ShareMovement['kind']) => kind === 'deposit' || kind === 'transfer-in';
