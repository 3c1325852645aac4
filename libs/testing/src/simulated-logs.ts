import { canonical, entryPointV08Abi, usdcPaymasterAbi } from '@yield-vault/contracts';
import {
  encodeAbiParameters,
  encodeEventTopics,
  keccak256,
  numberToHex,
  parseAbi,
  toHex,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
]);
const { entryPointV08 } = canonical;

/** Vault shares that move in one transaction: a deposit from the zero address, a redeem to it, or a transfer. */
export interface ShareMove {
  readonly block: bigint;
  readonly vault: Address;
  readonly from: Address;
  readonly to: Address;
  readonly shares: bigint;
  /** Who redeems the shares of `from`, and receives the assets; `from` when left out. */
  readonly spender?: Address;
}

/** A user operation, with a payment of USDC to our paymaster. */
export interface PaidOperation {
  readonly block: bigint;
  readonly sender: Address;
  readonly paymaster: Address;
  /** Base units of USDC. */
  readonly taken: bigint;
}

/** Make the events of a move, in the form of a node. */
export function shareLogs({ block, vault, from, to, shares, spender = from }: ShareMove, index: number) {
  const transfer = {
    topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }),
    data: encodeAbiParameters([{ type: 'uint256' }], [shares]),
  };
  const amounts = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [shares, shares]);
  const others = [
    ...(same(from, zeroAddress)
      ? [
          {
            topics: encodeEventTopics({ abi, eventName: 'Deposit', args: { sender: to, owner: to } }),
            data: amounts,
          },
        ]
      : []),
    ...(same(to, zeroAddress)
      ? [
          {
            topics: encodeEventTopics({
              abi,
              eventName: 'Withdraw',
              args: { sender: spender, receiver: spender, owner: from },
            }),
            data: amounts,
          },
        ]
      : []),
  ];
  return [transfer, ...others].map((log, place) =>
    placeLog({ ...log, address: vault }, block, `transaction ${index}`, index * 2 + place),
  );
}

// Behind the events of shares.
const firstGasLog = 1_000_000;

/** Make the events of an operation, in the form of a node. */
export function operationLogs({ block, sender, paymaster, taken }: PaidOperation, index: number) {
  const userOpHash = keccak256(toHex(`operation ${index}`));
  const sponsored = {
    address: paymaster,
    topics: encodeEventTopics({
      ...{ abi: usdcPaymasterAbi, eventName: 'UserOperationSponsored' },
      args: { userOpHash },
    }),
    data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [taken, 1n]),
  };
  const ended = {
    address: entryPointV08,
    topics: encodeEventTopics({
      ...{ abi: entryPointV08Abi, eventName: 'UserOperationEvent' },
      args: { userOpHash, sender, paymaster },
    }),
    data: encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
      [BigInt(index), true, 1n, 1n],
    ),
  };
  return [sponsored, ended].map((log, place) =>
    placeLog(log, block, userOpHash, firstGasLog + index * 2 + place),
  );
}

function placeLog(
  { topics, ...log }: { readonly address: Address; readonly topics: unknown; readonly data: Hex },
  block: bigint,
  transaction: string,
  logIndex: number,
) {
  return {
    ...{ ...log, topics: topics as Hex[], removed: false },
    ...{ blockNumber: numberToHex(block), blockHash: keccak256(toHex(block)) },
    ...{ transactionHash: keccak256(toHex(transaction)), transactionIndex: '0x0' },
    logIndex: numberToHex(logIndex),
  };
}

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
