import {
  encodeEventTopics,
  formatLog,
  numberToHex,
  padHex,
  parseAbi,
  parseEventLogs,
  zeroAddress,
  type Address,
  type Hex,
  type PublicClient,
  type RpcLog,
} from 'viem';

// By EIP-4626 the owner of a Withdraw is indexed; the ABI that viem carries says otherwise.
const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);
const [transfer, deposit, withdraw] = (['Transfer', 'Deposit', 'Withdraw'] as const).map(
  (eventName) => encodeEventTopics({ abi, eventName })[0],
) as [Hex, Hex, Hex];

/** An event of a vault that concerns a wallet. `shares` and `assets` in base units. */
export interface ShareLog {
  readonly event: 'transfer-in' | 'transfer-out' | 'deposit' | 'withdraw';
  /** Lower case. */
  readonly vaultAddress: Address;
  readonly transactionHash: string;
  readonly blockNumber: bigint;
  readonly logIndex: number;
  readonly shares: bigint;
  /** Deposit and withdraw only. */
  readonly assets: bigint | undefined;
  /** A transfer to the zero address. */
  readonly isBurn: boolean;
}

/** Blocks of one log query, both bounds included. */
export interface Blocks {
  readonly from: bigint;
  readonly to: bigint;
}

/** Reads the events of one wallet. Each method is one log query over all vaults. */
export interface ShareLogReader {
  /** Shares that the wallet received, with the deposits that paid for them. */
  incoming(blocks: Blocks): Promise<ShareLog[]>;
  /** Shares that left the wallet, with the withdrawals that it sent itself. */
  outgoing(blocks: Blocks): Promise<ShareLog[]>;
  /** Withdrawals of the wallet's shares, by any sender for any receiver. */
  withdrawals(blocks: Blocks): Promise<ShareLog[]>;
}

// Geth accepts 1,000 addresses in one filter.
const mostAddresses = 1_000;

/**
 * Make the reader of a wallet. Events are chosen by topics at the node: each query asks for several kinds of events
 * that name the wallet in the same place.
 */
export function createShareLogReader(
  rpc: PublicClient,
  wallet: Address,
  vaults: readonly Address[],
): ShareLogReader {
  const topic = padHex(wallet.toLowerCase() as Hex, { size: 32 });
  const known = new Set(vaults.map((vault) => vault.toLowerCase()));
  const address = vaults.length > mostAddresses ? {} : { address: [...vaults] };
  const read = async (topics: (Hex | Hex[] | null)[], { from, to }: Blocks): Promise<ShareLog[]> => {
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
    const found: RpcLog[] = await rpc.request({
      method: 'eth_getLogs',
      params: [{ ...address, ...range, topics }],
    });
    const logs = found.filter((log) => known.has(log.address.toLowerCase())).map((log) => formatLog(log));
    return toShareLogs(logs, wallet);
  };
  return {
    incoming: (blocks) => read([[transfer, deposit, withdraw], null, topic], blocks),
    outgoing: (blocks) => read([[transfer, withdraw], topic], blocks),
    withdrawals: (blocks) => read([withdraw, null, null, topic], blocks),
  };
}

function toShareLogs(logs: ReturnType<typeof formatLog>[], wallet: Address): ShareLog[] {
  const is = (address: Address) => address.toLowerCase() === wallet.toLowerCase();
  return parseEventLogs({ abi, logs }).flatMap((log) => {
    const build = (event: ShareLog['event'], shares: bigint, assets?: bigint, isBurn = false): ShareLog[] => [
      {
        ...{ event, shares, assets, isBurn },
        vaultAddress: log.address.toLowerCase() as Address,
        transactionHash: log.transactionHash,
        blockNumber: log.blockNumber,
        logIndex: log.logIndex,
      },
    ];
    if (log.eventName !== 'Transfer') {
      const { owner, shares, assets } = log.args;
      return is(owner) ? build(log.eventName === 'Deposit' ? 'deposit' : 'withdraw', shares, assets) : [];
    }
    const { from, to, value } = log.args;
    // Anybody can send a transfer of zero in another's name, and a transfer to oneself moves nothing.
    if (value === 0n || is(from) === is(to)) return [];
    return build(is(to) ? 'transfer-in' : 'transfer-out', value, undefined, to === zeroAddress);
  });
}
