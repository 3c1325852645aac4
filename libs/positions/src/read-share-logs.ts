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
  type Log,
  type PublicClient,
  type RpcLog,
} from 'viem';
import {
  findOperations,
  findPayments,
  ownTopic,
  senderTopics,
  type GasContracts,
  type SponsoredOperation,
} from './gas-payments.js';
import type { GasPayment } from './ports.js';

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

/** Events that name the wallet in their third topic. */
export interface Incoming {
  readonly shares: readonly ShareLog[];
  readonly payments: readonly GasPayment[];
  /** Operations whose payment is not among `payments`. */
  readonly unpriced: readonly SponsoredOperation[];
}

/** Reads the events of one wallet. Each method is one log query over all vaults. */
export interface ShareLogReader {
  /** Shares that the wallet received, with the deposits that paid for them, and what it paid for gas. */
  incoming(blocks: Blocks): Promise<Incoming>;
  /** Shares that left the wallet, with the withdrawals that it sent itself. */
  outgoing(blocks: Blocks): Promise<ShareLog[]>;
  /** Withdrawals of the wallet's shares, by any sender for any receiver. */
  withdrawals(blocks: Blocks): Promise<ShareLog[]>;
  /** Payments for some operations to a paymaster whose event does not name the wallet. */
  payments(blocks: Blocks, operations: readonly SponsoredOperation[]): Promise<GasPayment[]>;
}

// Geth accepts 1,000 addresses, and as many topics in one place.
const mostOfFilter = 1_000;
const filterOf = <T>(values: readonly T[]) => (values.length > mostOfFilter ? null : [...values]);

/**
 * Make the reader of a wallet. Events are chosen by topics at the node: each query asks for several kinds of events
 * that name the wallet in the same place.
 */
export function createShareLogReader(
  rpc: PublicClient,
  wallet: Address,
  vaults: readonly Address[],
  contracts: GasContracts,
): ShareLogReader {
  const topic = padHex(wallet.toLowerCase() as Hex, { size: 32 });
  const { entryPoint } = contracts;
  const { paymaster } = contracts.contracts;
  const read = async (
    emitters: readonly Address[],
    topics: (Hex | Hex[] | null)[],
    { from, to }: Blocks,
  ): Promise<Log[]> => {
    const address = filterOf(emitters);
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
    const found: RpcLog[] = await rpc.request({
      method: 'eth_getLogs',
      params: [{ ...(address && { address }), ...range, topics }],
    });
    const known = new Set(emitters.map((emitter) => emitter.toLowerCase()));
    return found.filter((log) => known.has(log.address.toLowerCase())).map((log) => formatLog(log));
  };
  const readShares = async (topics: (Hex | Hex[] | null)[], blocks: Blocks) =>
    toShareLogs(await read(vaults, topics, blocks), wallet);
  return {
    incoming: async (blocks) => {
      const topics = [[transfer, deposit, withdraw, ...senderTopics], null, topic];
      const logs = await read([...vaults, entryPoint, paymaster], topics, blocks);
      const payments = findPayments(logs, contracts);
      const priced = new Set(payments.map(({ userOpHash }) => userOpHash));
      const unpriced = findOperations(logs, contracts).filter(({ userOpHash }) => !priced.has(userOpHash));
      return { shares: toShareLogs(logs, wallet), payments, unpriced };
    },
    outgoing: (blocks) => readShares([[transfer, withdraw], topic], blocks),
    withdrawals: (blocks) => readShares([withdraw, null, null, topic], blocks),
    payments: async (blocks, operations) => {
      const hashes = new Set(operations.map(({ userOpHash }) => userOpHash));
      const logs = await read([paymaster], [ownTopic, filterOf([...hashes])], blocks);
      return findPayments(logs, contracts).filter(({ userOpHash }) => hashes.has(userOpHash));
    },
  };
}

function toShareLogs(logs: Log[], wallet: Address): ShareLog[] {
  const is = (address: Address) => address.toLowerCase() === wallet.toLowerCase();
  return parseEventLogs({ abi, logs }).flatMap((log) => {
    const build = (event: ShareLog['event'], shares: bigint, assets?: bigint, isBurn = false): ShareLog[] => [
      {
        event,
        shares,
        assets,
        isBurn,
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
