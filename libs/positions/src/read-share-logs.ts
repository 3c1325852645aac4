import { readBlockRange, type BlockRange } from '@yield-vault/chains';
import { parseAbiItem, type Address, type PublicClient } from 'viem';

const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');
const deposit = parseAbiItem(
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
);
// By EIP-4626 the owner is indexed; the ABI that viem carries says otherwise.
const withdraw = parseAbiItem(
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
);

/** An event of a vault that concerns a wallet. `shares` and `assets` in base units. */
export interface ShareLog {
  readonly event: 'transfer-in' | 'transfer-out' | 'deposit' | 'withdraw';
  readonly vaultAddress: Address;
  readonly transactionHash: string;
  readonly blockNumber: bigint;
  readonly logIndex: number;
  readonly shares: bigint;
  /** Deposit and withdraw only. */
  readonly assets: bigint | undefined;
}

// Anybody can send a transfer of zero in another's name, and a transfer to oneself moves nothing.
const movesShares = ({ args }: { args: { from: Address; to: Address; value: bigint } }) =>
  args.value > 0n && args.from !== args.to;

const shareLog = (
  event: ShareLog['event'],
  log: { address: Address; transactionHash: string; blockNumber: bigint; logIndex: number },
  shares: bigint,
  assets?: bigint,
): ShareLog => ({
  event,
  vaultAddress: log.address,
  transactionHash: log.transactionHash,
  blockNumber: log.blockNumber,
  logIndex: log.logIndex,
  shares,
  assets,
});

/**
 * Read every Transfer, Deposit and Withdraw event of a wallet at some vaults. Deposit and Withdraw are
 * filtered by owner, because a relay may be the sender.
 */
export async function readShareLogs(
  rpc: PublicClient,
  wallet: Address,
  vaults: readonly Address[],
  range: BlockRange,
): Promise<ShareLog[]> {
  const address = [...vaults];
  const readRange = async (fromBlock: bigint, toBlock: bigint): Promise<ShareLog[]> => {
    const where = { address, fromBlock, toBlock, strict: true } as const;
    const [incoming, outgoing, deposits, withdrawals] = await Promise.all([
      rpc.getLogs({ ...where, event: transfer, args: { to: wallet } }),
      rpc.getLogs({ ...where, event: transfer, args: { from: wallet } }),
      rpc.getLogs({ ...where, event: deposit, args: { owner: wallet } }),
      rpc.getLogs({ ...where, event: withdraw, args: { owner: wallet } }),
    ]);
    return [
      ...incoming.filter(movesShares).map((log) => shareLog('transfer-in', log, log.args.value)),
      ...outgoing.filter(movesShares).map((log) => shareLog('transfer-out', log, log.args.value)),
      ...deposits.map((log) => shareLog('deposit', log, log.args.shares, log.args.assets)),
      ...withdrawals.map((log) => shareLog('withdraw', log, log.args.shares, log.args.assets)),
    ];
  };
  return readBlockRange(readRange, range);
}
