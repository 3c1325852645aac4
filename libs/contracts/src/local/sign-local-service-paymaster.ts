import { concatHex, encodePacked, numberToHex, type Address, type Hex, type LocalAccount } from 'viem';
import type { UserOperation } from 'viem/account-abstraction';

/** What a service approves besides the operation itself. */
export interface LocalServiceApproval {
  readonly chainId: number;
  readonly paymaster: Address;
  /** Unix seconds; the last second in which the entry point accepts the operation. */
  readonly validUntil: number;
  /** Unix seconds; 0 by default. */
  readonly validAfter?: number;
  /** Base units of USDC for one ether; 0, the default, takes nothing. */
  readonly tokenPerNative?: bigint;
}

const types = {
  Approval: [
    { name: 'sender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'callData', type: 'bytes' },
    { name: 'accountGasLimits', type: 'bytes32' },
    { name: 'preVerificationGas', type: 'uint256' },
    { name: 'gasFees', type: 'bytes32' },
    { name: 'paymasterVerificationGasLimit', type: 'uint256' },
    { name: 'paymasterPostOpGasLimit', type: 'uint256' },
    { name: 'validUntil', type: 'uint48' },
    { name: 'validAfter', type: 'uint48' },
    { name: 'tokenPerNative', type: 'uint128' },
  ],
} as const;

/**
 * Sign an operation for the paymaster of `deployLocalServicePaymaster`, as its service does.
 *
 * @param operation With its final gas limits and fees: the signature binds them.
 * @returns The `paymasterData`, 93 bytes.
 */
export async function signLocalServicePaymaster(
  service: LocalAccount,
  operation: UserOperation<'0.8'>,
  { chainId, paymaster, validUntil, validAfter = 0, tokenPerNative = 0n }: LocalServiceApproval,
): Promise<Hex> {
  const signature = await service.signTypedData({
    domain: { name: 'LocalServicePaymaster', version: '1', chainId, verifyingContract: paymaster },
    types,
    primaryType: 'Approval',
    message: {
      sender: operation.sender,
      nonce: operation.nonce,
      callData: operation.callData,
      accountGasLimits: pair(operation.verificationGasLimit, operation.callGasLimit),
      preVerificationGas: operation.preVerificationGas,
      gasFees: pair(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
      paymasterVerificationGasLimit: operation.paymasterVerificationGasLimit ?? 0n,
      paymasterPostOpGasLimit: operation.paymasterPostOpGasLimit ?? 0n,
      validUntil,
      validAfter,
      tokenPerNative,
    },
  });
  return encodePacked(
    ['uint48', 'uint48', 'uint128', 'bytes'],
    [validUntil, validAfter, tokenPerNative, signature],
  );
}

function pair(high: bigint, low: bigint): Hex {
  return concatHex([numberToHex(high, { size: 16 }), numberToHex(low, { size: 16 })]);
}
