import type { UserOperation } from '../src/index.js';

/** One user operation with every field set to something telling. */
export const operation: UserOperation = {
  sender: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  nonce: 0x1234567890abcdef1234567890abcdef123456780000000000000000000000n << 8n,
  callData: '0xe9ae5c53deadbeef',
  callGasLimit: 210_000n,
  verificationGasLimit: 90_000n,
  preVerificationGas: 55_000n,
  maxFeePerGas: 1_500_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  paymaster: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec',
  paymasterVerificationGasLimit: 80_000n,
  paymasterPostOpGasLimit: 40_000n,
  paymasterData: '0x',
  signature: '0x',
};

export const entryPoint = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
export const validator = '0x00000000000000000000000000000000000000A1';
export const chainId = 8453;
export const window = { expiry: 1_790_000_600, validAfter: 0 };
/** The first well-known development key; it holds nothing anywhere. */
export const privateKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
