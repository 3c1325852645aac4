import { z } from 'zod';
import { address, bytes, gasQuantity, quantity } from '../rpc/wire-scalars.js';

const limits = {
  paymasterVerificationGasLimit: gasQuantity.optional(),
  paymasterPostOpGasLimit: gasQuantity.optional(),
};

/** Responses of a paymaster service. Unknown fields are left out: services add their own. */
export const serviceSchemas = {
  stubData: z.object({
    paymaster: address,
    paymasterData: bytes.default('0x'),
    ...limits,
    isFinal: z.boolean().default(false),
  }),
  data: z.object({ paymaster: address, paymasterData: bytes, ...limits }),
  tokenQuotes: z.object({
    quotes: z.array(
      z.object({ paymaster: address, token: address, exchangeRate: quantity, postOpGas: gasQuantity }),
    ),
  }),
} as const;
