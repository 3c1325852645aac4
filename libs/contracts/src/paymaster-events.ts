import { parseAbi } from 'viem';

/**
 * The event of a payment for gas: of our paymaster, of Circle's, and of the singleton paymaster, which most services run.
 * Each has the operation's `userOpHash` and the payment, `taken`, in base units of `token`. Ours takes USDC alone, and names
 * neither token nor sender.
 */
export const sponsoredEvents = parseAbi([
  'event UserOperationSponsored(bytes32 indexed userOpHash, uint256 taken, uint256 tokenPerNative)',
  'event UserOperationSponsored(address indexed token, address indexed sender, bytes32 userOpHash, uint256 nativeTokenPrice, uint256 taken, uint256 feeTokenAmount)',
  'event UserOperationSponsored(bytes32 indexed userOpHash, address indexed sender, uint8 paymasterMode, address token, uint256 taken, uint256 exchangeRate)',
]);
