import type { UserOperation } from '@yield-vault/protocol';

/** A user operation with every field set to something telling. */
export const userOperation: UserOperation = {
  sender: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  nonce: 7n,
  callData: '0xdeadbeef',
  callGasLimit: 210_000n,
  verificationGasLimit: 90_000n,
  preVerificationGas: 55_000n,
  maxFeePerGas: 1_500_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  paymaster: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
  paymasterVerificationGasLimit: 80_000n,
  paymasterPostOpGasLimit: 40_000n,
  paymasterData: '0x',
  signature: '0x1234',
};
