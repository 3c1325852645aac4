import { formatAmount, type PositionUpdate, sameHex, type UserOperation } from '@yield-vault/protocol';
import {
  erc20Abi,
  getAddress,
  isAddressEqual,
  parseAbi,
  parseEventLogs,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import type { ExecutionChain } from '../ports.js';
import type { Inclusion } from '../types.js';

const usdcDecimals = 6;

// Ours, Circle's, and that of the singleton paymaster which most services run; what was taken has one name here.
const sponsoredEvents = parseAbi([
  'event UserOperationSponsored(bytes32 indexed userOpHash, address indexed token, uint256 taken, uint256 tokenPerNative)',
  'event UserOperationSponsored(address indexed token, address indexed sender, bytes32 userOpHash, uint256 nativeTokenPrice, uint256 taken, uint256 feeTokenAmount)',
  'event UserOperationSponsored(bytes32 indexed userOpHash, address indexed user, uint8 paymasterMode, address token, uint256 taken, uint256 exchangeRate)',
]);

/**
 * Read what an operation paid for its gas: from the event of its paymaster, or, from one that has an event unknown
 * here, as the USDC that went from the sender to the paymaster and did not come back.
 */
export function gasPaid(
  chain: ExecutionChain,
  userOpHash: Hex,
  { sender, paymaster = zeroAddress }: Pick<UserOperation, 'sender' | 'paymaster'>,
  { bundleLogs }: Pick<Inclusion, 'bundleLogs'>,
): PositionUpdate['gasPaid'] {
  const sponsored = parseEventLogs({
    abi: sponsoredEvents,
    logs: bundleLogs.filter((log) => sameHex(log.address, paymaster)),
  }).find(({ args }) => sameHex(args.userOpHash, userOpHash));
  const amount = sponsored?.args.taken ?? netTransfer(chain, sender, paymaster, bundleLogs);
  return { token: getAddress(chain.usdc), amount: formatAmount(amount, usdcDecimals) };
}

function netTransfer(
  chain: ExecutionChain,
  sender: Address,
  paymaster: Address,
  logs: Inclusion['bundleLogs'],
): bigint {
  return parseEventLogs({
    abi: erc20Abi,
    eventName: 'Transfer',
    logs: logs.filter((log) => sameHex(log.address, chain.usdc)),
  }).reduce((sum, { args: { from, to, value } }) => {
    if (isAddressEqual(from, sender) && isAddressEqual(to, paymaster)) return sum + value;
    if (isAddressEqual(from, paymaster) && isAddressEqual(to, sender)) return sum - value;
    return sum;
  }, 0n);
}
