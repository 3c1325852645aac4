import { formatAmount, type PositionUpdate, sameHex } from '@yield-vault/protocol';
import { isAddressEqual, parseAbi, parseEventLogs, type Address } from 'viem';
import type { VaultMove } from '../ports.js';
import type { Inclusion } from '../types.js';

const priceDecimals = 18;
// Not viem's `erc4626Abi`: it calls the owner of a Deposit its receiver.
const vaultEvents = parseAbi([
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);

/**
 * Read what a move did to a position from the Deposit and Withdraw events of its vault.
 *
 * @returns human-unit decimal strings; negative deltas for a redeem
 */
export function positionUpdate(
  move: VaultMove,
  chain: string,
  owner: Address,
  { logs }: Pick<Inclusion, 'logs'>,
  gasPaid: PositionUpdate['gasPaid'],
): PositionUpdate {
  const { hook, vaultId, vaultAddress, vaultName, shareDecimals, assetDecimals } = move;
  const events = parseEventLogs({
    abi: vaultEvents,
    eventName: hook === 'deposit' ? 'Deposit' : 'Withdraw',
    logs: logs.filter((log) => sameHex(log.address, vaultAddress)),
  }).filter(({ args }) => isAddressEqual(args.owner, owner));
  const assets = events.reduce((sum, { args }) => sum + args.assets, 0n);
  const shares = events.reduce((sum, { args }) => sum + args.shares, 0n);
  const sign = hook === 'deposit' ? 1n : -1n;
  return {
    vaultId,
    vaultName,
    chain,
    sharesDelta: formatAmount(sign * shares, shareDecimals),
    assetsDelta: formatAmount(sign * assets, assetDecimals),
    effectivePrice: formatAmount(pricePerShare(assets, shares, move), priceDecimals),
    gasPaid,
  };
}

function pricePerShare(assets: bigint, shares: bigint, { shareDecimals, assetDecimals }: VaultMove): bigint {
  if (shares === 0n) return 0n;
  const scale = 10n ** BigInt(priceDecimals + shareDecimals);
  return (assets * scale) / (shares * 10n ** BigInt(assetDecimals));
}
