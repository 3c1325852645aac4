import { sameHex } from '@yield-vault/protocol';
import { parseAbi, parseEventLogs, zeroAddress, type Address, type Log } from 'viem';

// By EIP-4626 the owner of a Withdraw is indexed; the ABI that viem carries says otherwise.
export const shareAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);

/** Block and index of an event. */
export interface EventPlace {
  readonly blockNumber: bigint;
  readonly logIndex: number;
}

/** How shares moved into or out of a wallet. */
export type MovementKind = 'deposit' | 'withdraw' | 'transfer-in' | 'transfer-out';

/** Shares of one vault that moved into or out of one wallet, at the place of their Transfer. */
export interface WalletMovement extends EventPlace {
  /** Lower case. */
  readonly wallet: Address;
  /** Lower case. */
  readonly vault: Address;
  readonly kind: MovementKind;
  /** Base units of the share. */
  readonly shares: bigint;
  /** Base units of the asset, paid or received; a transfer has none of its own. */
  readonly assets: bigint | undefined;
}

/** Sort in chain order. */
export function byPlace(a: EventPlace, b: EventPlace): number {
  return a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : a.blockNumber < b.blockNumber ? -1 : 1;
}

const lower = (address: Address) => address.toLowerCase() as Address;

/**
 * Turn events of vaults into movements of wallets, in chain order. Shares move by Transfer alone: one between two wallets
 * moves shares of both. A Deposit or Withdraw prices one Transfer of its owner in the same vault and transaction, with the
 * same share count.
 *
 * @param logs - of vaults only, in any order; repeated events count once
 * @param wallet - leave out all other wallets
 */
export function parseShareMovements(logs: Log[], wallet?: Address): WalletMovement[] {
  const events = parseEventLogs({ abi: shareAbi, logs }).sort(byPlace);
  const prices = new Map<string, bigint[]>();
  const movements: WalletMovement[] = [];
  const isRepeated = (index: number) => index > 0 && byPlace(events[index - 1]!, events[index]!) === 0;
  const keyOf = (kind: MovementKind, owner: Address, shares: bigint, log: Log) =>
    [kind, lower(owner), shares, lower(log.address), log.transactionHash].join();

  for (const [index, event] of events.entries()) {
    if (event.eventName === 'Transfer' || isRepeated(index)) continue;
    const { owner, shares, assets } = event.args;
    const key = keyOf(event.eventName === 'Deposit' ? 'deposit' : 'withdraw', owner, shares, event);
    prices.set(key, [...(prices.get(key) ?? []), assets]);
  }
  for (const [index, event] of events.entries()) {
    if (event.eventName !== 'Transfer' || isRepeated(index)) continue;
    const { from, to, value: shares } = event.args;
    // Anybody can send a transfer of zero in another's name, and a transfer to oneself moves nothing.
    if (shares === 0n || sameHex(from, to)) continue;
    const move = (owner: Address, priced: MovementKind, unpriced: MovementKind) => {
      if (owner === zeroAddress || (wallet && !sameHex(owner, wallet))) return;
      const assets = prices.get(keyOf(priced, owner, shares, event))?.shift();
      movements.push({
        wallet: lower(owner),
        vault: lower(event.address),
        kind: assets === undefined ? unpriced : priced,
        shares,
        assets,
        blockNumber: event.blockNumber,
        logIndex: event.logIndex,
      });
    };
    move(from, 'withdraw', 'transfer-out');
    move(to, 'deposit', 'transfer-in');
  }
  return movements;
}
