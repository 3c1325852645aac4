import { formatUserOperationReceipt, type RpcUserOperationReceipt } from 'viem/account-abstraction';
import { z } from 'zod';
import { address, gasQuantity, hash, hex, quantity, wireQuantity } from '../rpc/wire-scalars.js';

/** Responses of a bundler. Unknown fields are left out: bundlers add their own. */
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
  operation: z.looseObject({}).nullable(),
  receipt: z
    .looseObject({
      userOpHash: hash,
      success: z.boolean(),
      actualGasUsed: wireQuantity,
      actualGasCost: wireQuantity,
      logs: z.array(z.looseObject({ address, topics: z.array(hex), data: hex })),
      receipt: z.looseObject({ transactionHash: hash, blockNumber: wireQuantity, blockHash: hash }),
    })
    // The schema has checked the fields that are read; viem turns their numbers into bigint.
    .transform((response) => formatUserOperationReceipt(response as unknown as RpcUserOperationReceipt))
    .nullable(),
} as const;
