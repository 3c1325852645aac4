import { z } from 'zod';
import { address, gasQuantity, hash, hex, quantity, wireQuantity } from '../rpc/wire-scalars.js';

/** Answers of a bundler. Unknown fields are left out: bundlers add their own. */
export const bundlerSchemas = {
  chainId: quantity.transform(Number),
  entryPoints: z.array(address),
  userOpHash: hash,
  gas: z.object({
    callGasLimit: gasQuantity,
    verificationGasLimit: gasQuantity,
    preVerificationGas: gasQuantity,
    paymasterVerificationGasLimit: gasQuantity.default(0n),
    paymasterPostOpGasLimit: gasQuantity.default(0n),
  }),
  gasPrice: z.object({
    standard: z.object({ maxFeePerGas: gasQuantity, maxPriorityFeePerGas: gasQuantity }),
  }),
  status: z.object({
    status: z.string(),
    transactionHash: hash.nullish().transform((value) => value ?? null),
  }),
  receipt: z
    .looseObject({
      userOpHash: hash,
      success: z.boolean(),
      actualGasUsed: wireQuantity,
      actualGasCost: wireQuantity,
      logs: z.array(z.looseObject({ address, topics: z.array(hex), data: hex })),
      receipt: z.looseObject({ transactionHash: hash, blockNumber: wireQuantity, blockHash: hash }),
    })
    .nullable(),
} as const;
