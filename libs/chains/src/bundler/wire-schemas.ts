import { z } from 'zod';
import { address, hash, hex, quantity } from '../rpc/wire-scalars.js';

/** Answers of a bundler. Unknown fields are left out: bundlers add their own. */
export const bundlerAnswers = {
  chainId: quantity.transform(Number),
  entryPoints: z.array(address),
  userOpHash: hash,
  gas: z.object({
    callGasLimit: quantity,
    verificationGasLimit: quantity,
    preVerificationGas: quantity,
    paymasterVerificationGasLimit: quantity.default(0n),
    paymasterPostOpGasLimit: quantity.default(0n),
  }),
  gasPrice: z.object({ standard: z.object({ maxFeePerGas: quantity, maxPriorityFeePerGas: quantity }) }),
  known: z
    .object({
      entryPoint: address,
      transactionHash: hash.nullish().transform((value) => value ?? null),
      blockNumber: quantity.nullish().transform((value) => value ?? null),
    })
    .nullable(),
  receipt: z
    .looseObject({
      userOpHash: hash,
      success: z.boolean(),
      actualGasUsed: hex,
      actualGasCost: hex,
      logs: z.array(z.looseObject({ address, topics: z.array(hex), data: hex })),
      receipt: z.looseObject({ transactionHash: hash, blockNumber: hex, blockHash: hash }),
    })
    .nullable(),
} as const;
